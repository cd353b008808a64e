"""The page: laid out, and wired to what people do."""

import gradio as gr

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.ui.acts import Acts
from sandbox.ui.api import add_api
from sandbox.ui.bank_acts import BankActs
from sandbox.ui.branch_acts import BranchActs
from sandbox.ui.characters_parts import lay_out_characters
from sandbox.ui.characters_tab import CharactersTab
from sandbox.ui.check_acts import CheckActs
from sandbox.ui.events import AT_ONCE, on
from sandbox.ui.fields import html
from sandbox.ui.forget_acts import ForgetActs
from sandbox.ui.instances_parts import lay_out_instances
from sandbox.ui.instances_tab import LEAVE, TAB, InstancesTab
from sandbox.ui.layout import lay_out
from sandbox.ui.lens_parts import lay_out_lens
from sandbox.ui.lens_tab import LensTab
from sandbox.ui.look_acts import LookActs
from sandbox.ui.look_wiring import connect_look
from sandbox.ui.method_parts import MethodActs, connect_method
from sandbox.ui.opening import Opening
from sandbox.ui.pick_parts import PickActs, connect_pick
from sandbox.ui.reingest_acts import ReingestActs, connect_reingest
from sandbox.ui.replay_acts import ReplayActs
from sandbox.ui.replay_episode import EpisodeActs
from sandbox.ui.replay_wiring import connect_door
from sandbox.ui.save_tab import SaveTab
from sandbox.ui.scripts import ALIVE, KEEPER
from sandbox.ui.theme import page_look
from sandbox.ui.verdict_acts import VerdictActs
from sandbox.ui.views import out_of_touch
from sandbox.ui.wiring import Wiring

__all__ = ["build_page", "page_look"]

TITLE = "Strategic Memory Sandbox"


def build_page(sandbox: Sandbox, account: str = ACCOUNT) -> gr.Blocks:
    """The whole page for one account, with the API beside it. Nothing is loaded or served."""
    models = sandbox.models.names() or (sandbox.models.default,)
    page: gr.Blocks
    with gr.Blocks(title=TITLE, fill_width=True, delete_cache=(3600, 86400)) as page:
        html("alive", KEEPER + ALIVE, out_of_touch().markup)
        with gr.Tabs(elem_id="areas") as areas:
            with gr.Tab("Chat", id="chat", render_children=True) as chat:
                parts = lay_out(models)
            with gr.Tab("Lens", id="lens") as lens_area:
                lens = lay_out_lens()
            with gr.Tab("Instances", id=TAB) as made_area:
                instances = lay_out_instances(models)
            with gr.Tab("Characters", id="characters") as cast:
                characters = lay_out_characters()
        opening, acts = Opening(sandbox, account, parts), Acts(sandbox, account, parts)
        bank = BankActs(sandbox, account, parts)
        verdict = VerdictActs(sandbox, account, parts)
        branch = BranchActs(sandbox, account, parts.branch)
        forget = ForgetActs(sandbox, account, parts)
        replay = ReplayActs(sandbox, account, parts)
        wiring = Wiring(page, parts, opening, acts, bank, verdict, branch, forget, replay)
        wiring.connect()
        connect_look(wiring, parts, LookActs(sandbox, account, parts), bank)
        connect_method(wiring, parts, MethodActs(sandbox, account))
        connect_reingest(wiring, parts, ReingestActs(sandbox, account, parts))
        connect_pick(wiring, parts, PickActs(sandbox, account))
        shelf = InstancesTab(sandbox, account, instances, areas)
        shelf.connect(page)
        connect_door(instances, replay)
        EpisodeActs(sandbox, account, instances).connect()
        saving = SaveTab(sandbox, account, instances.save, areas)
        saving.connect(page, parts, shelf)
        on(made_area.select, saving.list_made, [], [instances.save.made])
        shelf.shown_after(on(made_area.select, shelf.nothing))
        CheckActs(sandbox, account, instances.save, instances.check).connect()
        CharactersTab(sandbox, account, characters).connect(page, cast)
        LensTab(sandbox, account, lens).connect(lens_area, parts.kept.session, parts.side.user)
        for tab in (chat, cast, lens_area):
            tab.select(None, None, None, js=LEAVE, api_visibility="private")
        add_api(sandbox, account)
    page.queue(default_concurrency_limit=AT_ONCE, max_size=512)
    return page
