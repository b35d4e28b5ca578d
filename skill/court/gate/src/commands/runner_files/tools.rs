//! Images, environments, hooks, editors, services and infrastructure.

use super::super::words::words;
use super::{PLAIN, Runner, Search};

pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        programs: &["nix", "nix-shell", "nix-build", "nixos-rebuild", "devenv"],
        files: &["flake.nix", "shell.nix", "default.nix", "devenv.nix"],
        sources: &["nix"],
        ..PLAIN
    },
    Runner {
        programs: &["pre-commit", "prek"],
        files: &[".pre-commit-config.yaml", ".pre-commit-hooks.yaml"],
        search: Search::Upwards,
        file: &["-c", "--config"],
        ..PLAIN
    },
    Runner {
        programs: &["lefthook", "husky", "overcommit"],
        files: words!(
            "lefthook.yml lefthook.yaml .lefthook.yml lefthook-local.yml .overcommit.yml"
        ),
        search: Search::Upwards,
        ..PLAIN
    },
    Runner {
        programs: &["docker", "podman", "nerdctl", "buildah", "docker-compose"],
        verbs: &["build", "bake", "up", "run"],
        files: &["Dockerfile", "Containerfile", "docker-bake.hcl"],
        file: &["-f", "--file"],
        ..PLAIN
    },
    Runner {
        programs: &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"],
        verbs: &["up", "run", "create", "start", "build", "exec"],
        files: words!(
            "docker-compose.yml docker-compose.yaml compose.yml compose.yaml \
             compose.override.yml"
        ),
        file: &["-f", "--file"],
        ..PLAIN
    },
    Runner { programs: &["direnv"], files: &[".envrc"], search: Search::Upwards, ..PLAIN },
    Runner {
        programs: &["mise", "rtx", "asdf"],
        files: &["mise.toml", ".mise.toml", ".config/mise.toml", ".tool-versions"],
        search: Search::Upwards,
        ..PLAIN
    },
    Runner { programs: &["devbox"], files: &["devbox.json"], search: Search::Upwards, ..PLAIN },
    Runner {
        programs: &["code", "codium", "cursor", "windsurf", "code-insiders", "idea", "zed"],
        files: words!(
            ".vscode/tasks.json .vscode/settings.json .vscode/launch.json \
             .devcontainer/devcontainer.json .zed/tasks.json .zed/settings.json"
        ),
        ..PLAIN
    },
    Runner {
        programs: &["devcontainer"],
        files: &[
            ".devcontainer/devcontainer.json",
            ".devcontainer.json",
            ".devcontainer/Dockerfile",
        ],
        folder: &["--workspace-folder"],
        ..PLAIN
    },
    Runner {
        programs: &["vim", "vi", "nvim", "ex", "view"],
        files: &[".exrc", ".vimrc", ".nvim.lua", ".nvimrc"],
        ..PLAIN
    },
    Runner {
        programs: &["gdb", "lldb"],
        files: &[".gdbinit", ".lldbinit"],
        file: &["-x", "-s"],
        ..PLAIN
    },
    Runner { programs: &["R", "Rscript"], files: &[".Rprofile"], ..PLAIN },
    Runner { programs: &["psql"], files: &[".psqlrc"], file: &["-f", "--file"], ..PLAIN },
    Runner {
        programs: &["ansible-playbook", "ansible"],
        files: &["ansible.cfg", "site.yml", "playbook.yml"],
        file: &["-i"],
        sources: &["yml", "yaml"],
        ..PLAIN
    },
    Runner {
        programs: &["terraform", "tofu", "terragrunt", "packer"],
        verbs: &["apply", "plan", "init", "destroy", "build", "run-all"],
        folder: &["-chdir"],
        files: &["main.tf", "terragrunt.hcl"],
        sources: &["tf", "hcl"],
        ..PLAIN
    },
    Runner { programs: &["vagrant"], files: &["Vagrantfile"], search: Search::Upwards, ..PLAIN },
    Runner {
        programs: &["fastlane", "pod"],
        files: &["Fastfile", "fastlane/Fastfile", "Podfile"],
        ..PLAIN
    },
    Runner {
        programs: words!("snakemake invoke inv fab doit sphinx-build alembic mkdocs"),
        files: words!(
            "Snakefile workflow/Snakefile tasks.py fabfile.py dodo.py conf.py docs/conf.py alembic/env.py \
             migrations/env.py mkdocs.yml"
        ),
        search: Search::Upwards,
        file: &["-s", "--snakefile", "-f"],
        ..PLAIN
    },
    Runner {
        programs: words!("gunicorn uvicorn celery flask streamlit locust scrapy airflow"),
        files: words!(
            "gunicorn.conf.py app.py wsgi.py main.py locustfile.py tasks.py celeryconfig.py"
        ),
        file: &["-c", "--config", "-f"],
        ..PLAIN
    },
    Runner {
        programs: &["nextflow"],
        verbs: &["run"],
        files: &["main.nf", "nextflow.config"],
        file: &["-c", "-C"],
        sources: &["nf"],
        ..PLAIN
    },
    Runner { programs: &["dvc"], verbs: &["repro", "exp", "stage"], files: &["dvc.yaml"], ..PLAIN },
    Runner {
        programs: words!("redo redo-ifchange"),
        files: &["all.do", "default.do"],
        sources: &["do"],
        ..PLAIN
    },
    Runner {
        programs: &["tilt", "skaffold", "earthly", "dagger", "act", "garden", "werf"],
        files: &["Tiltfile", "skaffold.yaml", "Earthfile", "garden.yml", "werf.yaml"],
        file: &["-f", "--file"],
        ..PLAIN
    },
    Runner {
        programs: &["pm2", "foreman", "overmind", "honcho", "goreman", "supervisord", "procs"],
        files: words!(
            "Procfile Procfile.dev ecosystem.config.js ecosystem.config.cjs supervisord.conf"
        ),
        file: &["-f", "--procfile", "-c"],
        ..PLAIN
    },
];
