import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkConfig } from '../../apps/server/src/config/settings.ts'
import { CHART, helm, KUBERNETES, type Manifest, manifestsIn, render, runHelm } from '../helm.ts'
import { podOf, violationsOf } from './chart/restricted.ts'

const python = process.env['HEADGATE_PYTHON'] ?? 'python3'
const hasSchemas = spawnSync(python, ['-c', 'import kubernetes_validate']).status === 0

/** Value sets of the folder `ci`, by file. */
const SETS = readdirSync(join(CHART, 'ci')).map(
  (name) => [name, readFileSync(join(CHART, 'ci', name), 'utf8')] as const,
)
/** Kinds of operators, which Kubernetes has no schema of. */
const FOREIGN = new Set(['ServiceMonitor', 'ExternalSecret'])

const rendered = (values: string): Manifest[] => {
  const { code, stdout, stderr } = render(values)
  expect(code, stderr).toBe(0)
  return manifestsIn(stdout)
}
const ofKind = (manifests: readonly Manifest[], ...kinds: readonly string[]): Manifest[] =>
  manifests.filter(({ kind }) => kinds.includes(kind))

describe.skipIf(helm === undefined)('The chart (skipped without helm)', () => {
  it('has five value sets', () => {
    expect(SETS.length).toBeGreaterThanOrEqual(5)
  })

  it.each(SETS)('passes helm lint with %s', (name) => {
    const { code, stdout } = runHelm([
      ...['lint', CHART, '--strict', '--kube-version', KUBERNETES[0]],
      ...['--values', join(CHART, 'ci', name)],
    ])
    expect(code, stdout).toBe(0)
  })

  it.each(SETS)('meets the restricted pod security standard with %s', (_, values) => {
    const pods = rendered(values).flatMap((manifest) => podOf(manifest) ?? [])
    expect(pods.length).toBeGreaterThan(0)
    expect(pods.flatMap(violationsOf)).toEqual([])
    for (const { containers } of pods)
      for (const { securityContext } of containers)
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true })
  })

  it.each(SETS)('has a configuration that the program accepts with %s', (_, values) => {
    const [map] = ofKind(rendered(values), 'ConfigMap')
    const config: unknown = JSON.parse(map?.data?.['headgate.config.json'] ?? '')
    const environment = { TEAM_KEY: 'sk-local-of-the-team', MINE_API_KEY: 'a-key' }
    expect(checkConfig('headgate.config.json', config, environment)).toMatchObject({ server: { healthPort: 8788 } })
  })

  it.each(SETS)('gives a pod the time that its end takes with %s', (_, values) => {
    const manifests = rendered(values)
    const [map] = ofKind(manifests, 'ConfigMap')
    const { times } = JSON.parse(map?.data?.['headgate.config.json'] ?? '')
    const [workload] = ofKind(manifests, 'Deployment', 'StatefulSet')
    const pod = JSON.parse(JSON.stringify(workload && podOf(workload)))
    const before = pod.containers[0].lifecycle?.preStop.sleep.seconds ?? 0
    expect(1_000 * (pod.terminationGracePeriodSeconds - before)).toBeGreaterThan(times.drain + times.shutdown)
  })

  it('uses a volume for each pod with budgets, or Postgres as the journal', () => {
    const [volume] = ofKind(rendered('budgets: true'), 'StatefulSet')
    expect(volume?.spec).toMatchObject({ volumeClaimTemplates: [{ metadata: { name: 'data' } }] })
    const other = rendered('journal: postgres')
    expect(ofKind(other, 'StatefulSet')).toEqual([])
    expect(ofKind(other, 'Deployment').length).toBe(1)
    expect(ofKind(other, 'ConfigMap')[0]?.data?.['headgate.config.json']).toContain('"journal": "postgres"')
  })

  it.each([
    ['budgets in memory', '{ journal: none }', 'the journal must survive the pod'],
    [
      'budgets of a key in memory',
      '{ journal: none, budgets: false, config: { keys: [{ key: "$\\u007bK}", budgets: [5/day] }] } }',
      'the journal must survive the pod',
    ],
    [
      'budgets of an organization in memory',
      '{ journal: none, budgets: false, config: { budgets: { organization: [5/day] } } }',
      'the journal must survive the pod',
    ],
    ['SQLite in several pods', '{ database: sqlite }', 'is for one pod'],
    ['SQLite that scales', '{ database: sqlite, replicas: 1, autoscaling: { enabled: true } }', 'is for one pod'],
    ['SQLite without a volume', '{ database: sqlite, replicas: 1, journal: postgres }', 'set `journal: volume`'],
    ['another journal in the configuration', '{ config: { journal: postgres } }', 'contradicts `journal`'],
    ['a key in plain text', '{ config: { keys: [sk-local-1234] } }', 'config.keys[0] is a secret'],
    ['a named key in plain text', '{ config: { keys: [{ key: sk-local-1234 }] } }', 'config.keys[0] is a secret'],
    [
      'a credential in plain text',
      '{ config: { providers: { mine: { apiKey: abc } } } }',
      'config.providers.mine.apiKey',
    ],
    [
      'one of several',
      '{ config: { providers: { mine: { apiKey: ["$\\u007bA}", abc] } } } }',
      'config.providers.mine.apiKey',
    ],
    ['client certificates without TLS', '{ tls: { clientSecretName: a } }', 'needs `tls.secretName`'],
    [
      'scaling without a metric',
      '{ autoscaling: { enabled: true, cpu: 0, requestsInFlight: 0 } }',
      'Autoscaling needs',
    ],
    ['a store without a name', '{ externalSecret: { enabled: true } }', 'needs `store.name`'],
    ['an unknown value', '{ replica: 3 }', 'replica'],
    ['root', '{ podSecurity: { runAsUser: 0 } }', 'runAsUser'],
    ['a journal that does not exist', '{ journal: memory }', 'journal'],
    ['a digest that is none', '{ image: { digest: abc } }', 'digest'],
  ])('refuses %s', (_, values, message) => {
    const { code, stderr } = render(values)
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
  })

  it('migrates the database before an upgrade, with the image of the pods', () => {
    const manifests = rendered('')
    const [job] = ofKind(manifests, 'Job')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-upgrade' })
    const imagesOf = (manifest: Manifest | undefined): unknown =>
      JSON.parse(JSON.stringify(manifest && podOf(manifest)?.containers)).map(({ image }: { image: string }) => image)
    expect(imagesOf(job)).toEqual(imagesOf(ofKind(manifests, 'StatefulSet')[0]))
    expect(ofKind(rendered('{ database: sqlite, replicas: 1 }'), 'Job')).toEqual([])
  })

  it('never sends requests to the pod of the migration', () => {
    const manifests = rendered('')
    const labels = Object(Object(ofKind(manifests, 'Job')[0]?.spec?.['template'])['metadata'])['labels']
    for (const { spec } of ofKind(manifests, 'Service')) expect(labels).not.toMatchObject(Object(spec?.['selector']))
  })

  it('reaches no private address but those of the values', () => {
    const [policy] = ofKind(rendered('{ networkPolicy: { egress: [] } }'), 'NetworkPolicy')
    const egress = JSON.parse(JSON.stringify(policy?.spec?.['egress']))
    expect(egress).toHaveLength(2)
    expect(egress[1].to[0].ipBlock.except).toEqual(expect.arrayContaining(['169.254.0.0/16', '10.0.0.0/8']))
  })

  it('is scraped with a key, and reads its secrets from the store', () => {
    const values = SETS.find(([name]) => name.startsWith('everything'))?.[1] ?? ''
    const manifests = rendered(values)
    expect(ofKind(manifests, 'ServiceMonitor')[0]?.spec).toMatchObject({
      endpoints: [{ path: '/metrics', scheme: 'https', authorization: { credentials: { name: 'headgate-metrics' } } }],
    })
    expect(ofKind(manifests, 'ExternalSecret')[0]?.spec).toMatchObject({
      secretStoreRef: { kind: 'SecretStore', name: 'vault' },
      target: { name: 'gateway' },
      dataFrom: [{ extract: { key: 'headgate/production' } }],
    })
    expect(ofKind(manifests, 'Secret')).toEqual([])
  })

  // A released chart adds a file. Fields that Kubernetes does not change are the same, or an upgrade fails.
  it('upgrades with the values of version 0.1.0', () => {
    const before = JSON.parse(readFileSync(join(import.meta.dirname, 'chart/0.1.0.json'), 'utf8'))
    for (const values of before.values) {
      const manifests = rendered(JSON.stringify(values))
      const [workload] = ofKind(manifests, 'Deployment', 'StatefulSet')
      expect(workload?.metadata.name).toBe('test-headgate')
      expect(workload?.spec?.['selector']).toEqual({ matchLabels: before.selector })
      if (workload?.kind === 'StatefulSet') expect(workload.spec).toMatchObject({ serviceName: before.serviceName })
    }
    const [workload] = ofKind(rendered(JSON.stringify(before.values[0])), 'StatefulSet')
    expect(workload?.spec?.['volumeClaimTemplates']).toEqual(before.claims)
  })

  it.skipIf(!hasSchemas).each(SETS)(
    'passes the strict schemas of three Kubernetes versions with %s (skipped without kubernetes-validate)',
    { tags: ['full'] },
    (_, values) => {
      const folder = mkdtempSync(join(tmpdir(), 'headgate-chart-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      for (const version of KUBERNETES) {
        const { stdout } = render(values, version)
        const documents = stdout
          .split(/^---$/m)
          .filter((text) => !FOREIGN.has(/^kind: (\S+)/m.exec(text)?.[1] ?? 'ServiceMonitor'))
        const file = join(folder, `${version}.yaml`)
        writeFileSync(file, documents.join('---\n'))
        const {
          status,
          stdout: out,
          stderr,
        } = spawnSync(python, ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', `${version}.0`, file], {
          encoding: 'utf8',
        })
        expect(out + stderr).not.toMatch(/WARN|ERROR|FAIL/)
        expect(status).toBe(0)
      }
    },
  )
})

describe('The check of the restricted standard', () => {
  const pod = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ name: 'a', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
  }
  const changed = (change: object): object => Object.assign(structuredClone(pod), change)

  it('accepts a restricted pod', () => {
    expect(violationsOf(pod)).toEqual([])
  })

  it.each([
    ['hostNetwork', changed({ hostNetwork: true })],
    ['volume hostPath', changed({ volumes: [{ name: 'a', hostPath: { path: '/' } }] })],
    ['a: runs as root', changed({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } })],
    ['a: has no seccomp profile', changed({ securityContext: { runAsNonRoot: true } })],
    [
      'a: can escalate privileges',
      changed({ containers: [{ name: 'a', securityContext: { capabilities: { drop: ['ALL'] } } }] }),
    ],
    [
      'a: keeps capabilities',
      changed({ containers: [{ name: 'a', securityContext: { allowPrivilegeEscalation: false } }] }),
    ],
  ])('finds %s', (violation, one) => {
    expect(violationsOf(one as Parameters<typeof violationsOf>[0])).toContain(violation)
  })
})
