/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab --plot: the curves of all rows that have some, as panels in two columns of one SVG
 * file. The file has a background of its own, dark where the reader prefers dark pages. axis.c
 * says what an axis covers and where its ticks are.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "axis.h"
#include "opencl.h"
#include "tools/files/files.h"

enum { COLUMNS = 2, PANEL_WIDTH = 480, PANEL_HEIGHT = 330, HEADER = 70, EDGE = 16 };
// Of the drawing area of a panel.
enum { LEFT = 58, TOP = 82, WIDTH = 396, HEIGHT = 186 };

static const char style[] =
    "<style>\n"
    "text { font-family: sans-serif; font-size: 13px; fill: #1f2328; }\n"
    ".page { fill: #ffffff; } .small { font-size: 12px; fill: #59636e; }\n"
    ".title { font-size: 15px; font-weight: bold; } .head { font-size: 18px; }\n"
    ".grid { stroke: #d1d9e0; } .axis { stroke: #59636e; }\n"
    ".curve0 { stroke: #0969da; fill: #0969da; } .curve1 { stroke: #bc4c00; fill: #bc4c00; }\n"
    "polyline { fill: none !important; stroke-width: 2; }\n"
    ".spread { stroke-width: 5; stroke-opacity: 0.3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #e6edf3; } .page { fill: #0d1117; } .small { fill: #9198a1; }\n"
    ".grid { stroke: #30363d; } .axis { stroke: #9198a1; }\n"
    ".curve0 { stroke: #58a6ff; fill: #58a6ff; } .curve1 { stroke: #ff9e57; fill: #ff9e57; }\n"
    "}\n"
    "</style>\n";

// `anchor`: start, middle or end.
TOOL_PRINTF(6, 7)
static void write_text(FILE *file, double x, double y, const char *class, const char *anchor,
                       const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", x, y, class,
            anchor);
    for (const char *c = text; *c; c++) {
        if (strchr("<>&", *c))
            fprintf(file, "&#%d;", *c);
        else if ((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f)
            putc(*c, file);
    }
    fprintf(file, "</text>\n");
}

static void write_line(FILE *file, const char *class, double x0, double y0, double x1,
                       double y1)
{
    fprintf(file, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            class, x0, y0, x1, y1);
}

// ---------------------------------------------------------------------------------------
// A panel

struct panel {
    const struct lab_sweep *sweep;
    struct lab_time y[2][LAB_POINTS];
    char unit[LAB_NUMBER];
    struct lab_axis across, up;
};

static void lay_out(struct panel *panel)
{
    const struct lab_sweep *sweep = panel->sweep;
    static const double MOST = 1.3; // longer bars are cut off
    double y[4 * LAB_POINTS], most = 0;
    unsigned n = 0;
    lab_shown(sweep, panel->unit, panel->y);
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        for (unsigned i = 0; i < sweep->n_points; i++)
            most = fmax(most, y[n++] = panel->y[c][i].median);
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        for (unsigned i = 0; i < sweep->n_points; i++)
            y[n++] = fmin(panel->y[c][i].high, MOST * most);
    panel->across = sweep->is_linear ? lab_axis_steps(sweep->x, sweep->n_points)
                                     : lab_axis_factors(sweep->x, sweep->n_points);
    panel->up = lab_axis_values(y, n);
    panel->across.from = LEFT + 12;
    panel->across.to = LEFT + WIDTH - 12;
    panel->up.from = TOP + HEIGHT;
    panel->up.to = TOP;
}

static void write_axes(FILE *file, const struct panel *panel)
{
    enum { APART = 26 }; // pixels between the labels of the parameter
    double last = -APART;
    char text[LAB_NUMBER];
    for (unsigned i = 0; i < panel->up.n_ticks; i++) {
        const double y = lab_axis_place(&panel->up, panel->up.ticks[i]);
        write_line(file, "grid", LEFT, y, LEFT + WIDTH, y);
        snprintf(text, sizeof text, "%.4g", panel->up.ticks[i]);
        write_text(file, LEFT - 7, y + 4.5, "small", "end", "%s", text);
    }
    for (unsigned i = 0; i < panel->across.n_ticks; i++) {
        const double x = lab_axis_place(&panel->across, panel->across.ticks[i]);
        write_line(file, "axis", x, TOP + HEIGHT, x, TOP + HEIGHT + 5);
        if (x - last < APART)
            continue;
        write_text(file, x, TOP + HEIGHT + 19, "small", "middle", "%.4g",
                   panel->across.ticks[i]);
        last = x;
    }
    write_line(file, "axis", LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT);
    write_text(file, LEFT + WIDTH / 2.0, TOP + HEIGHT + 38, "small", "middle", "%s",
               panel->sweep->x_name);
}

static double inside(double y)
{
    return fmin(fmax(y, TOP), TOP + HEIGHT);
}

static void write_mark(FILE *file, int c, double x, double y)
{
    fprintf(file,
            c ? "<path d=\"M%.1f %.1fm-5 0l5-5 5 5-5 5z\"/>"
              : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>",
            x, y);
}

// The names of the curves, above the right end of the drawing area.
static void write_names(FILE *file, const struct lab_sweep *sweep)
{
    enum { ONE = 130, TWO = 80 }; // pixels for a name
    const int n = sweep->names[1] ? 2 : 1;
    for (int c = 0; c < n; c++) {
        const double x = LEFT + WIDTH - (n == 1 ? ONE : TWO * (2 - c));
        fprintf(file, "<g class=\"curve%d\">", c);
        write_mark(file, c, x, TOP - 20);
        fprintf(file, "</g>\n");
        write_text(file, x + 11, TOP - 16, "small", "start", "%s", sweep->names[c]);
    }
}

static void write_curve(FILE *file, const struct panel *panel, int c)
{
    const struct lab_sweep *sweep = panel->sweep;
    double x[LAB_POINTS], y[LAB_POINTS];
    for (unsigned i = 0; i < sweep->n_points; i++) {
        const struct lab_time *value = &panel->y[c][i];
        x[i] = lab_axis_place(&panel->across, sweep->x[i]);
        y[i] = inside(lab_axis_place(&panel->up, value->median));
        fprintf(file, "<g class=\"curve%d\">", c);
        write_line(file, "spread", x[i], inside(lab_axis_place(&panel->up, value->low)), x[i],
                   inside(lab_axis_place(&panel->up, value->high)));
        write_mark(file, c, x[i], y[i]);
        fprintf(file, "</g>\n");
    }
    fprintf(file, "<polyline class=\"curve%d\" points=\"", c);
    for (unsigned i = 0; i < sweep->n_points; i++)
        fprintf(file, "%.1f,%.1f ", x[i], y[i]);
    fprintf(file, "\"/>\n");
}

static void write_panel(FILE *file, const struct lab_row *row, const struct lab_sweep *sweep,
                        unsigned number)
{
    struct panel panel = { .sweep = sweep };
    lay_out(&panel);
    fprintf(file, "<g transform=\"translate(%u %u)\">\n", EDGE + number % COLUMNS * PANEL_WIDTH,
            HEADER + number / COLUMNS * PANEL_HEIGHT);
    write_text(file, 0, 20, "title", "start", "%s: %s", row->id, row->claim);
    write_text(file, 0, 40, "small", "start", "%s", row->title);
    write_text(file, 0, TOP - 16, "small", "start", "%s", panel.unit);
    write_names(file, sweep);
    write_axes(file, &panel);
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        write_curve(file, &panel, c);
    fprintf(file, "</g>\n");
}

// ---------------------------------------------------------------------------------------

bool lab_is_curve(const struct lab_row *row)
{
    return row->id[0] == 'W' || strcmp(row->id, "G5") == 0;
}

static void write_header(FILE *file, const struct lab *lab)
{
    const struct gp_caps *caps = &lab->gp->caps;
    const time_t now = time(NULL);
    struct tm parts = { 0 };
    char date[32] = "";
    localtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y-%m-%d", &parts);
    write_text(file, EDGE, 30, "head", "start", "%s", caps->device);
    if (lab->quick)
        write_text(file, EDGE, 52, "small", "start",
                   "%s, driver %s. Small arrays and one run each (--quick): these times mean "
                   "nothing.",
                   date, caps->driver);
    else
        write_text(file, EDGE, 52, "small", "start",
                   "%s, driver %s. Medians; the bars hold the median of many runs in 95 of 100 "
                   "cases.%s",
                   date, caps->driver,
                   lab_is_busy(lab->others) ? " The machine was busy." : "");
}

int lab_plot(const struct lab *lab, const char *path, const struct lab_row *const *rows,
             const struct lab_result *results, unsigned n)
{
    struct tool_output out;
    unsigned panels = 0;
    for (unsigned i = 0; i < n; i++)
        panels += results[i].sweep.n_points > 0;
    if (panels == 0)
        return tool_fail(TOOL_FAILED,
                         "--plot: no curve to draw: none of these rows was measured");
    const int code = tool_output_open(path, &out);
    if (code != TOOL_GOOD)
        return code;
    const unsigned width = COLUMNS * PANEL_WIDTH + EDGE;
    const unsigned height = HEADER + (panels + COLUMNS - 1) / COLUMNS * PANEL_HEIGHT;
    fprintf(out.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\">\n%s<rect class=\"page\" width=\"%u\" height=\"%u\"/>\n",
            width, height, width, height, style, width, height);
    write_header(out.file, lab);
    panels = 0;
    for (unsigned i = 0; i < n; i++)
        if (results[i].sweep.n_points)
            write_panel(out.file, rows[i], &results[i].sweep, panels++);
    fprintf(out.file, "</svg>\n");
    return tool_output_close(&out);
}
