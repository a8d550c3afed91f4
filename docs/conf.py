# SPDX-License-Identifier: Apache-2.0
"""The documentation site. scripts/site builds it: Markdown of docs/, and the public headers by way of
Doxygen's XML, whose folder the environment variable GPUPRIM_SITE_XML names."""
import os
import pathlib
import subprocess
from xml.etree import ElementTree

from sphinx.util import logging

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = 'gpuprim'
copyright = 'the authors of gpuprim. Licence: Apache-2.0'
release = subprocess.run([ROOT / 'scripts/version'], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()
extensions = ['myst_parser', 'breathe']
exclude_patterns = ['meson.build']

# Links within a page: #name-of-a-heading.
myst_heading_anchors = 3

breathe_projects = {'gpuprim': os.path.join(os.environ['GPUPRIM_SITE_XML'], 'xml')}
breathe_default_project = 'gpuprim'
breathe_domain_by_extension = {'h': 'c'}
breathe_default_members = ('members',)
# Names of C and OpenCL that have no page here.
nitpicky = True
nitpick_ignore_regex = [('c:identifier', r'u?int\d+_t|size_t|cl_\w+')]

html_theme = 'furo'
html_title = f'gpuprim {release}'
html_static_path = ['static']
html_css_files = ['site.css']
html_show_sphinx = False
html_copy_source = False
pygments_style = 'friendly'


def every_name_is_documented(_app, env):
    """Every public name that Doxygen knows is on a page, and every value of an enum has a comment.
    (Doxygen itself reports other names without one.)"""
    xml = pathlib.Path(os.environ['GPUPRIM_SITE_XML'], 'xml')
    names = {node.findtext('name') for node in ElementTree.parse(xml / 'index.xml').iter()
             if node.get('kind') in ('function', 'define', 'typedef', 'enum', 'struct')}
    shown = {name for name, *_ in env.get_domain('c').get_objects()}
    log = logging.getLogger(__name__)
    for name in sorted(names - shown):
        log.warning('%s is on no page of docs/api/', name)
    for path in xml.glob('group*.xml'):
        for value in ElementTree.parse(path).iter('enumvalue'):
            texts = [value.find('briefdescription'), value.find('detaileddescription')]
            if not ''.join(part for text in texts for part in text.itertext()).strip():
                log.warning('%s has no comment', value.findtext('name'))


def setup(app):
    app.connect('env-check-consistency', every_name_is_documented)
