import type { Manifest } from '../../helm.ts'

interface SecurityContext {
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly allowPrivilegeEscalation?: boolean
  readonly privileged?: boolean
  readonly procMount?: string
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] }
  readonly seccompProfile?: { readonly type?: string }
  readonly windowsOptions?: object
  readonly seLinuxOptions?: object
  readonly sysctls?: readonly object[]
}

interface Container {
  readonly name: string
  readonly ports?: readonly { readonly hostPort?: number }[]
  readonly securityContext?: SecurityContext
}

/** Part of a pod that the standard restricts. */
export interface PodSpec {
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly hostUsers?: boolean
  readonly securityContext?: SecurityContext
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly Readonly<Record<string, unknown>>[]
}

/** Kinds of volumes that the standard allows. */
const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])
const PROFILES: ReadonlySet<string | undefined> = new Set(['RuntimeDefault', 'Localhost'])

/** Pod of an object that has one. */
export function podOf({ kind, spec }: Manifest): PodSpec | undefined {
  const found: unknown = kind === 'Pod' ? spec : Object(Object(spec)['template'])['spec']
  return found === undefined ? undefined : (found as PodSpec)
}

/**
 * Violations of the restricted pod security standard.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export function violationsOf(pod: PodSpec): string[] {
  const { securityContext: own = {} } = pod
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => pod[name] === true)
  const volumes = (pod.volumes ?? []).flatMap((volume) =>
    Object.keys(volume).filter((kind) => kind !== 'name' && !VOLUMES.has(kind)),
  )
  const containers = [...pod.containers, ...(pod.initContainers ?? [])]
  return [
    ...shared,
    ...volumes.map((kind) => `volume ${kind}`),
    ...(own.sysctls?.length ? ['sysctls'] : []),
    ...containers.flatMap((container) => ofContainer(container, own).map((text) => `${container.name}: ${text}`)),
  ]
}

function ofContainer({ ports = [], securityContext: own = {} }: Container, pod: SecurityContext): string[] {
  const user = own.runAsUser ?? pod.runAsUser
  const checks: readonly (readonly [string, boolean])[] = [
    ['runs as root', (own.runAsNonRoot ?? pod.runAsNonRoot) === true && user !== 0],
    ['can escalate privileges', own.allowPrivilegeEscalation === false],
    ['is privileged', own.privileged !== true],
    ['keeps capabilities', own.capabilities?.drop?.includes('ALL') === true],
    ['adds capabilities', (own.capabilities?.add ?? []).every((name) => name === 'NET_BIND_SERVICE')],
    ['has no seccomp profile', PROFILES.has((own.seccompProfile ?? pod.seccompProfile)?.type)],
    ['unmasks /proc', (own.procMount ?? 'Default') === 'Default'],
    ['uses a port of the node', ports.every(({ hostPort = 0 }) => hostPort === 0)],
    ['sets options of SELinux or Windows', !own.seLinuxOptions && !own.windowsOptions],
  ]
  return checks.flatMap(([text, holds]) => (holds ? [] : [text]))
}
