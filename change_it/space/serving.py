"""How a page is served: its looks, its address, and what is wrong with a port."""

import errno
import logging
import os
from collections.abc import Sequence
from importlib.resources import files
from threading import Timer
from time import sleep
from typing import Any

import gradio as gr
from gradio.tunneling import CURRENT_TUNNELS
from gradio.utils import get_space
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse

from change_it.errors import InputError
from change_it.space.address import AddressOptions, taken
from change_it.space.guard import Guard, is_loopback
from change_it.space.limits import LIMITS
from change_it.space.uploads import own_folder
from change_it.tables import console
from change_it.translation import LANGUAGES, load_texts


def theme() -> gr.themes.Base:
    """Colours and the fonts of the reader's own machine: nothing is fetched from elsewhere."""
    fonts = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
    base = gr.themes.Base(
        primary_hue="teal", secondary_hue="teal", neutral_hue="slate", font=fonts, font_mono=("monospace",)
    )
    # Gradio's own greys are too pale to read.
    return base.set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="*neutral_400",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_hover_dark="*primary_800",
        color_accent="*primary_700",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )


def css() -> str:
    """The page's own style, and the reports' for the tables of results."""
    page, tables = files("change_it.space") / "page.css", files("change_it.results") / "templates/tables.css"
    return f"{page.read_text(encoding='utf-8')}.ci-results {{\n{tables.read_text(encoding='utf-8')}}}\n"


def gradio_texts(language: str) -> dict[str, str]:
    """What Gradio's own parts say in a language, by its keys; it has no Italian."""
    prefix = "gradio."
    return {
        key.removeprefix(prefix): text for key, text in load_texts(language).items() if key.startswith(prefix)
    }


def launch(page: gr.Blocks, *, hosts: Sequence[str] = (), **settings: Any) -> Any:
    """Serve the page; `settings` are further arguments of Gradio's `launch`, whose answer is returned.

    On loopback it is served under this machine's own names and those of `hosts` alone, elsewhere under every name.
    """
    on_hub = get_space() is not None
    host = settings.get("server_name") or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    at_home = is_loopback(host) and not (on_hub or settings.get("share"))
    has_uploads = any(isinstance(block, gr.File) for block in page.blocks.values())
    guard = Middleware(
        Guard,
        hosts=hosts if at_home else None,
        on_hub=on_hub,
        uploads=own_folder() if has_uploads else None,
    )
    defaults: dict[str, Any] = {
        "app_kwargs": {"middleware": [guard], "exception_handlers": {TypeError: refuse_arguments}},
        "theme": theme(),
        "i18n": gr.I18n(**{language: gradio_texts(language) for language in LANGUAGES}),
        "css": css(),
        "ssr_mode": False,
        "show_error": False,
        "footer_links": ["api"],
        "max_file_size": LIMITS.bytes,
        "max_threads": LIMITS.threads,
        "state_session_capacity": LIMITS.visits,
        "quiet": True,
    }
    return page.launch(**defaults | settings)


def serve(page: gr.Blocks, options: AddressOptions, **settings: Any) -> None:
    """Serve the page until it is interrupted; `settings` are as of `launch`."""
    try:
        _, address, public = launch(
            page,
            server_name=options.host,
            server_port=options.port or free_port(options.host),
            share=options.share,
            hosts=options.hosts,
            prevent_thread_lock=True,
            **settings,
        )
    except OSError as error:
        raise InputError(taken(options.host, options.port)) from error
    terminal = console()
    terminal.print(f"Open [bold]{public or address}[/] in a browser; Ctrl-C ends it.", soft_wrap=True)
    if any(function.api_name == "judge" for function in page.fns.values()):
        terminal.print(curl_line(public or address), soft_wrap=True, markup=False, highlight=False)
    wait(page)


def curl_line(address: str) -> str:
    """How a program asks the page."""
    api = f"{address.rstrip('/')}/gradio_api"
    data = '{"data": ["New headline", "Original headline", "Its article"]}'
    return f"API: {api} (transfer, judge, score)\n  curl -s {api}/run/judge -H 'Content-Type: application/json' -d '{data}'"


async def refuse_arguments(request: Request, error: Exception) -> JSONResponse:
    """One sentence where a request lacks an argument, or has one that there is not."""
    if "/call/v2/" not in request.url.path:
        raise error
    sentence = str(error).partition(" Please click")[0]
    return JSONResponse({"error": sentence}, status_code=422)


def wait(page: gr.Blocks) -> None:
    """Wait for Ctrl-C, then close the server, which answers nobody any more; who still computes for it gets one second."""
    try:
        while True:
            sleep(0.1)  # a signal that another thread takes is seen too
    except KeyboardInterrupt:
        print("Keyboard interruption in main thread... closing server.")
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # of requests that are broken off
        ending = Timer(1, os._exit, (0,))  # else the program would wait for threads that compute
        ending.daemon = True
        ending.start()
        page.server.force_exit = True
        page.server.close()
        for tunnel in CURRENT_TUNNELS:
            tunnel.kill()


def free_port(host: str) -> int:
    """A port that nobody listens at."""
    import socket

    with socket.socket() as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            reason = errno.errorcode.get(error.errno or 0, "")
            raise InputError(f"--host {host} is no address of this machine ({reason})") from error
        return int(probe.getsockname()[1])
