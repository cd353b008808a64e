"""How Gradio's own components look: in the colours of the style sheet."""

from pathlib import Path

import gradio as gr

from sandbox.ui.server import Look

FONT = ("ui-sans-serif", "system-ui", "Segoe UI", "Helvetica Neue", "sans-serif")
MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")
COLOURS = {
    "body_background_fill": "paper",
    "body_text_color": "ink",
    "body_text_color_subdued": "soft",
    "background_fill_primary": "sheet",
    "background_fill_secondary": "paper",
    "border_color_primary": "line",
    "border_color_accent": "accent",
    "loader_color": "accent",
    "color_accent_soft": "accent-tint",
    "link_text_color": "accent",
    "block_background_fill": "sheet",
    "block_border_color": "line",
    "block_label_text_color": "soft",
    "block_title_text_color": "soft",
    "input_background_fill": "sheet",
    "input_background_fill_focus": "sheet",
    "input_border_color": "line",
    "input_border_color_focus": "accent",
    "input_placeholder_color": "soft",
    "checkbox_background_color": "sheet",
    "checkbox_background_color_selected": "accent",
    "checkbox_border_color": "soft",
    "checkbox_label_background_fill": "sheet",
    "checkbox_label_background_fill_selected": "accent-tint",
    "checkbox_label_text_color": "ink",
    "button_primary_background_fill": "accent",
    "button_primary_background_fill_hover": "accent-deep",
    "button_primary_border_color": "accent",
    "button_primary_text_color": "on-accent",
    "button_secondary_background_fill": "sheet",
    "button_secondary_background_fill_hover": "paper",
    "button_secondary_border_color": "line",
    "button_secondary_border_color_hover": "accent",
    "button_secondary_text_color": "ink",
}
"""Gradio's variables and the colour of `page.css` that each takes, light and dark alike."""


def page_look() -> Look:
    """A quiet theme and the page's own style sheet; no font or file from elsewhere."""
    colours = {name: f"var(--{colour})" for name, colour in COLOURS.items()}
    theme = gr.themes.Base(font=FONT, font_mono=MONO, text_size="sm", spacing_size="sm")
    dark = {f"{name}_dark": colour for name, colour in colours.items()}
    theme.set(
        **colours,
        **dark,
        color_accent="var(--accent)",
        button_border_width="1px",
        input_border_width="1px",
        block_border_width="0px",
        block_shadow="none",
        input_shadow="none",
        input_shadow_focus="none",
    )
    sheets = (
        "page.css",
        "tabs.css",
        "verdict.css",
        "life.css",
        "replay.css",
        "badges.css",
        "episodes.css",
        "collections.css",
    )
    return Look(theme=theme, css_paths=tuple(Path(__file__).with_name(name) for name in sheets))
