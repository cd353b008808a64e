"""A small page of its own for the tests of the server: `python tiny_page.py DATA_DIR PORT [URL]`.

`URL` is somewhere else: what the page shows tries to load and to send things there.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import gradio as gr

from sandbox.folder import FolderError, open_folder
from sandbox.port import PortError, reserve
from sandbox.ui.server import Look, serve

Message = dict[str, str]


def fail() -> None:
    raise ValueError("a secret of the server")


def refuse() -> None:
    raise gr.Error("One sentence for the person.")


def endless() -> Iterator[str]:
    for number in range(10_000):
        time.sleep(0.05)
        yield str(number)


def echo(text: str, history: list[Message]) -> tuple[str, list[Message]]:
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": f"You: {text}"}]
    return "", [*history, *said]


def asked(request: gr.Request) -> str:
    return f"session {request.query_params.get('session')}"


def hostile(elsewhere: str) -> str:
    return (
        f"![m]({elsewhere}/markdown.png) <img src='{elsewhere}/tag.png' onerror='leak=1'>"
        f"<video src='{elsewhere}/v.mp4'></video><svg onload='leak=2'></svg>"
        f"<iframe src='{elsewhere}/frame'></iframe><a href='javascript:leak=3' id=trap>link</a>"
        f"<div style='background:url({elsewhere}/css.png)'>styled</div>"
        f"<form action='{elsewhere}/form'><button id=post>post</button></form>"
    )


def build(elsewhere: str | None) -> gr.Blocks:
    shown = hostile(elsewhere) if elsewhere else "hello"
    with gr.Blocks(title="tiny") as page:
        gr.Chatbot([{"role": "assistant", "content": shown}], label="Shown")
        gr.HTML(shown)
        talk = gr.Chatbot(label="Talk")
        say = gr.Textbox(label="Say")
        gr.Dropdown(["a", "b"], label="Pick", interactive=True)
        gr.Dataframe([["one", 2]], headers=["text", "n"], show_search="filter", interactive=True)
        gr.HTML(
            ["<b>one</b>"],
            html_template="<ul>{{#each value}}<li>{{this}}</li>{{/each}}</ul>",
            css_template="li { color: green; }",
            js_on_load="element.addEventListener('click', () => { window.clicked = true })",
        )
        query, out = gr.Textbox(label="Asked"), gr.Textbox(label="Out")
        say.submit(echo, [say, talk], [say, talk], api_name="echo")
        gr.Button("Run").click(None, None, out, js="() => 'from js'")
        gr.Button("Count").click(endless, None, out, api_name="endless")
        page.load(asked, None, query, js="() => { window.loaded = true }")
        gr.api(fail, api_name="fail")
        gr.api(refuse, api_name="refuse")
    return page


def main(data_dir: str, port: str, elsewhere: str | None = None) -> None:
    try:
        with open_folder(Path(data_dir)) as folder:
            listener = reserve("127.0.0.1", int(port))
            serve(
                lambda: build(elsewhere),
                listener,
                folder,
                look=Look(css=".x { color: red; }"),
                background=lambda: print("background", flush=True),
                on_ready=lambda url: print(f"ready {url}", flush=True),
            )
        print("closed", flush=True)
    except (FolderError, PortError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main(*sys.argv[1:])
