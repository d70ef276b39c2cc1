//! Speed-up against workers as an SVG picture: both axes logarithmic, with the ideal line.

use std::fmt::Write;

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Workers and speed-up.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

/// Colours that remain distinct with colour blindness (Okabe and Ito 2008).
const COLOURS: &[&str] = &["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: &[&str] = &["none", "8 3", "2 3", "10 3 2 3"];

struct Axes {
    decades_x: f64,
    decades_y: f64,
}

impl Axes {
    fn x(&self, workers: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * workers.max(1.0).log10() / self.decades_x
    }

    /// Speed-ups below 0.1 stand on the lower edge.
    fn y(&self, speed_up: f64) -> f64 {
        let share = (speed_up.max(0.1).log10() + 1.0) / (self.decades_y + 1.0);
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }
}

/// The lines of a drawing.
struct Svg(String);

impl Svg {
    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }
}

/// Draws the curves. A `title` may hold any text.
pub fn speed_up_plot(title: &str, curves: &[Curve]) -> String {
    let largest = curves.iter().flat_map(|c| &c.points).map(|(x, y)| x.max(*y)).fold(10.0, f64::max);
    let decades = largest.log10().max(1.0);
    let axes = Axes { decades_x: decades, decades_y: decades };
    let mut svg = Svg(String::new());
    svg.add(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">"
    ));
    svg.add(format_args!("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"));
    svg.add(format_args!("<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>", escaped(title)));
    draw_axes(&mut svg, &axes, largest);
    for (i, curve) in curves.iter().enumerate() {
        draw_curve(&mut svg, &axes, i, curve);
    }
    svg.0.push_str("</svg>\n");
    svg.0
}

/// The frame, its grid with numbers, and the line of the ideal speed-up.
fn draw_axes(svg: &mut Svg, axes: &Axes, largest: f64) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for decade in -1..=axes.decades_x.floor() as i32 {
        let value = 10f64.powi(decade);
        let y = axes.y(value);
        svg.add(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>"
        ));
        svg.add(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 8.0,
            y + 4.0
        ));
        if decade >= 0 {
            let x = axes.x(value);
            svg.add(format_args!(
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#dddddd\"/>"
            ));
            svg.add(format_args!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
                bottom + 18.0
            ));
        }
    }
    svg.add(format_args!(
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#444444\"/>",
        right - LEFT,
        bottom - TOP
    ));
    svg.add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">workers</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 18.0
    ));
    let middle = (TOP + bottom) / 2.0;
    svg.add(format_args!(
        "<text x=\"18\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {middle:.1})\">speed-up\
         </text>"
    ));
    svg.add(format_args!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#999999\" stroke-dasharray=\"4 4\"/>",
        axes.x(1.0),
        axes.y(1.0),
        axes.x(largest),
        axes.y(largest)
    ));
    svg.add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#777777\">ideal</text>",
        axes.x(largest.sqrt()) - 40.0,
        axes.y(largest.sqrt()) - 6.0
    ));
}

/// The curve of number `i`, its points, and its line in the legend.
fn draw_curve(svg: &mut Svg, axes: &Axes, i: usize, curve: &Curve) {
    let right = WIDTH - RIGHT;
    let colour = COLOURS[i % COLOURS.len()];
    let dash = DASHES[i / COLOURS.len() % DASHES.len()];
    let points: Vec<String> =
        curve.points.iter().map(|(x, y)| format!("{:.1},{:.1}", axes.x(*x), axes.y(*y))).collect();
    svg.add(format_args!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-dasharray=\"{dash}\"/>",
        points.join(" ")
    ));
    for (x, y) in &curve.points {
        svg.add(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
            axes.x(*x),
            axes.y(*y)
        ));
    }
    let y = TOP + 12.0 + 20.0 * i as f64;
    svg.add(format_args!(
        "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-dasharray=\"{dash}\"/>",
        right + 12.0,
        right + 40.0
    ));
    svg.add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        right + 46.0,
        y + 4.0,
        escaped(&curve.name)
    ));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
