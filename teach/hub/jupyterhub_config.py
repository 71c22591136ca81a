"""The hub of a classroom on one machine, without accounts of its own: to try it out, and for the test.

Everybody who knows the password gets in, under any name, and all servers run as the user who started the hub: it
listens to this machine only, and is not for a class that does not trust one another. `tools/hub.py` starts it and says
by variables where things are: REGATTN_HUB is its folder, REGATTN_HUB_PORT the first of three ports.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821
folder = Path(os.environ["REGATTN_HUB"])
port = int(os.environ["REGATTN_HUB_PORT"])

c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = port + 1
c.JupyterHub.db_url = f"sqlite:///{folder / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(folder / "cookie_secret")
c.JupyterHub.cleanup_servers = True  # whoever stops the hub stops the servers of its users
c.JupyterHub.cleanup_proxy = True

c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.ConfigurableHTTPProxy.command = [os.environ["REGATTN_PROXY"]]
c.ConfigurableHTTPProxy.pid_file = str(folder / "proxy.pid")

c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = os.environ["REGATTN_HUB_PASSWORD"]
c.Authenticator.allow_all = True

c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(folder / "home" / "{username}")
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.Spawner.args = ["--LabApp.news_url=None", "--LabApp.expose_app_in_browser=True"]
if hasattr(os, "geteuid") and os.geteuid() == 0:
    c.Spawner.args.append("--allow-root")
# One thread each: a class shares the cores, and twenty kernels of eight threads each wait for one another.
c.Spawner.environment = {"OMP_NUM_THREADS": "1", "GIT_TERMINAL_PROMPT": "0"}

# A server that nobody has used for an hour gives its memory back; what is saved stays.
c.JupyterHub.services = [
    {"name": "idle", "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"]}
]
c.JupyterHub.load_roles = [
    {
        "name": "idle",
        "services": ["idle"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
