#!/usr/bin/env node
// Package managers link what is there when they install: in a checkout that is before anything is built.
import { existsSync } from 'node:fs'

const program = new URL('../dist/cli.js', import.meta.url)

if (existsSync(program)) import(program.href)
else {
  process.stderr.write('create-headgate-adapter: this checkout is not built yet: run `npx -y pnpm@12 build` in it.\n')
  process.exitCode = 1
}
