//! Package managers, test runners and build tools of JavaScript.

use super::super::words::words;
use super::{PLAIN, Runner, Search};

const JS: &[&str] = &["js", "ts", "mjs", "cjs", "tsx", "jsx", "mts", "cts"];

pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        programs: &[
            "npm", "pnpm", "yarn", "bun", "ni", "nr", "lerna", "turbo", "nx", "wireit", "rush",
        ],
        files: words!(
            "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml binding.gyp"
        ),
        search: Search::Upwards,
        folder: &["-C", "--prefix", "--cwd", "--dir"],
        ..PLAIN
    },
    Runner {
        programs: &["npm", "pnpm", "yarn", "bun", "nr"],
        verbs: &["test", "t", "run", "start", "run-script", "build", "dev"],
        folder: &["-C", "--prefix", "--cwd", "--dir"],
        sources: JS,
        ..PLAIN
    },
    Runner {
        programs: &["deno"],
        files: &["deno.json", "deno.jsonc"],
        search: Search::Upwards,
        ..PLAIN
    },
    Runner { programs: &["deno"], verbs: &["test", "task", "bench"], sources: JS, ..PLAIN },
    Runner {
        programs: &["npx", "pnpx", "bunx", "node", "tsx", "ts-node"],
        files: &[".npmrc"],
        ..PLAIN
    },
    Runner {
        programs: words!("jest vitest mocha ava playwright cypress karma tap wdio"),
        files: words!(
            "jest.config.js jest.config.ts jest.config.cjs jest.config.mjs jest.setup.js \
             jest.setup.ts vitest.config.ts vitest.config.js vitest.config.mts \
             vitest.setup.ts vite.config.ts vite.config.js playwright.config.ts \
             playwright.config.js cypress.config.ts cypress.config.js karma.conf.js \
             .mocharc.js .mocharc.cjs .mocharc.json ava.config.js babel.config.js"
        ),
        search: Search::Upwards,
        file: &["-c", "--config"],
        sources: JS,
        ..PLAIN
    },
    Runner {
        programs: words!(
            "vite webpack rollup esbuild next nuxt astro gulp grunt eslint prettier stylelint \
             babel postcss tailwindcss svelte-kit remix metro expo parcel tsup knex \
             drizzle-kit typeorm storybook commitlint lint-staged semantic-release release-it \
             hardhat swc ember ng vue-cli-service"
        ),
        files: words!(
            "vite.config.ts vite.config.js vite.config.mjs webpack.config.js \
             webpack.config.ts webpack.config.cjs rollup.config.js rollup.config.mjs \
             next.config.js next.config.mjs next.config.ts nuxt.config.ts astro.config.mjs \
             gulpfile.js Gruntfile.js eslint.config.js eslint.config.mjs eslint.config.cjs \
             .eslintrc.js .eslintrc.cjs prettier.config.js .prettierrc.js stylelint.config.js \
             babel.config.js .babelrc.js postcss.config.js postcss.config.cjs \
             tailwind.config.js tailwind.config.ts svelte.config.js metro.config.js \
             knexfile.js drizzle.config.ts commitlint.config.js .lintstagedrc.js \
             lint-staged.config.js release.config.js .releaserc hardhat.config.js \
             tsup.config.ts"
        ),
        search: Search::Upwards,
        file: &["-c", "--config", "-f", "--gulpfile"],
        ..PLAIN
    },
];
