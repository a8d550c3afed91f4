/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab --plot: the curves of all rows that have some, as panels of one SVG file.
 */
#include <string.h>

#include "lab.h"
#include "tools/files/files.h"

enum { LEFT = 80, TOP = 40, WIDTH = 520, HEIGHT = 200, PANEL = 300, RIGHT = 40 };
static const char *const colours[] = { "#c03020", "#2050a0" };

// The points of a sweep are equally far apart, because strides and sizes double from one to the
// next.
static double x_of(const struct lab_sweep *sweep, unsigned i)
{
    return LEFT + WIDTH * (i + 0.5) / sweep->n_points;
}

static double highest(const struct lab_sweep *sweep)
{
    double top = 0;
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        for (unsigned i = 0; i < sweep->n_points; i++)
            top = sweep->y[c][i] > top ? sweep->y[c][i] : top;
    return top > 0 ? top : 1;
}

static void write_curve(FILE *file, const struct lab_sweep *sweep, int c, double scale)
{
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
            colours[c]);
    for (unsigned i = 0; i < sweep->n_points; i++)
        fprintf(file, "%.1f,%.1f ", x_of(sweep, i), TOP + HEIGHT - scale * sweep->y[c][i]);
    fprintf(file, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", LEFT + 160 * c,
            TOP - 8, colours[c], sweep->names[c]);
}

static void write_panel(FILE *file, const struct lab_row *row, const struct lab_sweep *sweep,
                        unsigned panel)
{
    const double top = highest(sweep), scale = HEIGHT / top;
    fprintf(file, "<g transform=\"translate(0 %u)\">\n", panel * PANEL);
    fprintf(file, "<text x=\"10\" y=\"16\" font-weight=\"bold\">%s: %s</text>\n", row->id,
            sweep->y_name);
    fprintf(file,
            "<path d=\"M%d %dv%dh%d\" fill=\"none\" stroke=\"#000\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>\n",
            LEFT, TOP, HEIGHT, WIDTH, LEFT - 6, TOP + 5, top, LEFT - 6, TOP + HEIGHT + 5);
    for (unsigned i = 0; i < sweep->n_points; i++)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                x_of(sweep, i), TOP + HEIGHT + 18, sweep->x[i]);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            LEFT + WIDTH / 2, TOP + HEIGHT + 38, sweep->x_name);
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        write_curve(file, sweep, c, scale);
    fprintf(file, "</g>\n");
}

bool lab_is_curve(const struct lab_row *row)
{
    return row->id[0] == 'W' || strcmp(row->id, "G5") == 0;
}

int lab_plot(const char *path, const struct lab_row *const *rows,
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
    fprintf(out.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + WIDTH + RIGHT, panels * PANEL);
    panels = 0;
    for (unsigned i = 0; i < n; i++)
        if (results[i].sweep.n_points)
            write_panel(out.file, rows[i], &results[i].sweep, panels++);
    fprintf(out.file, "</svg>\n");
    return tool_output_close(&out);
}
