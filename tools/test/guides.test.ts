import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Snippet } from '../docs/snippets.ts'
import { helm } from '../helm.ts'
import { findProgram } from '../programs.ts'
import { ROOT, SNIPPETS } from './repository-pages.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

/** Pages about installations. Their commands run here, or are in the list of those that cannot. */
const GUIDES = [
  'kubernetes',
  'compose',
  'systemd',
  'proxies',
  'air-gapped',
  'high-availability',
  'upgrades',
  'sizing',
  'threat-model',
].map((name) => `docs/${name}.md`)

/** Commands that no test runs, and what they need. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'kubectl create': 'a cluster',
  'kubectl label': 'a cluster',
  'kubectl --namespace': 'a cluster',
  'helm install': 'a cluster',
  'helm upgrade': 'a cluster',
  'helm pull': 'the published chart',
  'docker compose': 'a container runtime',
  'docker buildx': 'the published image',
  'docker pull': 'the published image',
  'docker save': 'the published image',
  'cosign verify': 'the published image',
  'cosign save': 'the published image',
  'npm install': 'the published package; e2e/installation.ts installs it from a local registry',
  'tar -czf': 'the published package',
  'tar -xzf': 'the published package',
  'bundle/node_modules/.bin/headgate start': 'the published package',
  'sudo cp': 'the rights of root',
  'sudo install': 'the rights of root',
  'sudo systemctl': 'systemd as process 1',
  'journalctl --unit': 'systemd as process 1',
  'curl http://localhost:8787/readyz': 'a container runtime',
}

const placeOf = ({ page, line }: Snippet): string => `${page}:${line}`
const inGuides = (language: string): Snippet[] =>
  SNIPPETS.filter((snippet) => snippet.language === language && GUIDES.includes(snippet.page))
const isRun = ({ words }: Snippet): boolean => words.includes('guide') || words.includes('test')

/** Commands of a shell block, without loops and continued lines. */
function commandsIn({ code }: Snippet): string[] {
  return code
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(#|for |do\b|done\b)/.test(line))
}

describe('The guides', () => {
  it('exist', () => {
    expect(GUIDES.filter((page) => !SNIPPETS.some((one) => one.page === page) && !/sizing|threat/.test(page))).toEqual(
      [],
    )
  })

  it('have no command that neither runs here nor is listed', () => {
    const others = inGuides('sh').filter((snippet) => !isRun(snippet))
    const unlisted = others.flatMap((snippet) =>
      commandsIn(snippet)
        .filter((command) => !Object.keys(NOT_RUN).some((known) => command.startsWith(known)))
        .map((command) => `${placeOf(snippet)} ${command}`),
    )
    expect(unlisted).toEqual([])
  })

  it('use each listed command', () => {
    const commands = inGuides('sh')
      .filter((snippet) => !isRun(snippet))
      .flatMap(commandsIn)
    const unused = Object.keys(NOT_RUN).filter((known) => !commands.some((command) => command.startsWith(known)))
    expect(unused).toEqual([])
  })

  describe('commands', { tags: ['full'] }, () => {
    let workshop: Workshop
    beforeAll(() => {
      workshop = openWorkshop()
      cpSync(join(ROOT, 'deploy'), join(workshop.path, 'deploy'), {
        recursive: true,
        filter: (path) => !path.endsWith('node_modules'),
      })
      if (helm !== undefined) symlinkSync(helm, join(workshop.path, 'bin/helm'))
    })
    afterAll(() => workshop?.remove())

    it.each(
      inGuides('sh')
        .filter(({ words }) => words.includes('guide'))
        .map((one) => [placeOf(one), one] as const),
    )('work at %s', async (_, { code }) => {
      const program = /^(helm|systemd-analyze|openssl)\b/m.exec(code)?.[1]
      if (program !== undefined && findProgram(program) === undefined && (program !== 'helm' || helm === undefined))
        return void process.stderr.write(`${program} is not installed: a command of the guides is not run here.\n`)
      await workshop.shell(code)
    })
  })
})

const haproxy = findProgram('haproxy')
const nginx = findProgram('nginx')

function temporary(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('Configurations of proxies in the guides', () => {
  it.skipIf(haproxy === undefined).each(inGuides('haproxy').map((one) => [placeOf(one), one] as const))(
    'are valid for HAProxy at %s (skipped without HAProxy)',
    (_, { code }) => {
      const defaults = 'defaults\n  mode http\n  timeout connect 2s\n  timeout client 1m\n  timeout server 1m\n'
      const file = temporary('haproxy.cfg', `${defaults}${code}\n`)
      const { status, stderr } = spawnSync(haproxy ?? '', ['-c', '-f', file], { encoding: 'utf8' })
      expect(status, stderr).toBe(0)
      expect(stderr).not.toMatch(/ALERT|WARNING/)
    },
  )

  it.skipIf(nginx === undefined).each(inGuides('nginx').map((one) => [placeOf(one), one] as const))(
    'are valid for nginx at %s (skipped without nginx)',
    (_, { code }) => {
      const plain = code.replace('listen 443 ssl', 'listen 8443').replaceAll(/^ *ssl_.*$/gm, '')
      const file = temporary('nginx.conf', `events {}\nhttp {\n${plain}\n}\n`)
      const { status, stderr } = spawnSync(nginx ?? '', ['-t', '-c', file], { encoding: 'utf8' })
      expect(status, stderr).toBe(0)
    },
  )
})
