"""Places for markup that views make."""

import gradio as gr


def plain(elem_id: str, script: str | None = None, markup: str = "") -> gr.HTML:
    """A place for markup that a view makes."""
    return gr.HTML(
        markup, elem_id=elem_id, js_on_load=script, apply_default_css=False, elem_classes="plain"
    )
