"""The page: laid out, and wired to what people do."""

import gradio as gr

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.ui.acts import Acts
from sandbox.ui.api import add_api
from sandbox.ui.bank_acts import BankActs
from sandbox.ui.characters_parts import lay_out_characters
from sandbox.ui.characters_tab import CharactersTab
from sandbox.ui.instances_parts import lay_out_instances
from sandbox.ui.instances_tab import LEAVE, TAB, InstancesTab
from sandbox.ui.layout import lay_out
from sandbox.ui.opening import Opening
from sandbox.ui.theme import page_look
from sandbox.ui.wiring import AT_ONCE, Wiring

__all__ = ["build_page", "page_look"]

TITLE = "Strategic Memory Sandbox"


def build_page(sandbox: Sandbox, account: str = ACCOUNT) -> gr.Blocks:
    """The whole page for one account, with the API beside it. Nothing is loaded or served."""
    models = sandbox.models.names() or (sandbox.models.default,)
    page: gr.Blocks
    with gr.Blocks(title=TITLE, fill_width=True, delete_cache=(3600, 86400)) as page:
        with gr.Tabs(elem_id="areas") as areas:
            with gr.Tab("Chat", id="chat", render_children=True) as chat:
                parts = lay_out(models)
            with gr.Tab("Instances", id=TAB):
                instances = lay_out_instances(models)
            with gr.Tab("Characters", id="characters") as cast:
                characters = lay_out_characters()
        opening, acts = Opening(sandbox, account, parts), Acts(sandbox, account, parts)
        bank = BankActs(sandbox, account, parts)
        Wiring(page, parts, opening, acts, bank).connect()
        InstancesTab(sandbox, account, instances, areas).connect(page)
        CharactersTab(sandbox, account, characters).connect(page, cast)
        for tab in (chat, cast):
            tab.select(None, None, None, js=LEAVE, api_visibility="private")
        add_api(sandbox, account)
    page.queue(default_concurrency_limit=AT_ONCE, max_size=512)
    return page
