import type { EnvironmentSource } from '@headgate/core/provider'

/** A package of an adapter, as files of a test. */
export interface AdapterOptions {
  /** Its id; by default that of the folder. */
  readonly id?: string
  readonly kind?: string
  readonly contract?: number
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  /** Source of the fields of its config. */
  readonly config?: string
  readonly env?: Readonly<Record<string, readonly EnvironmentSource[]>>
  readonly probe?: string
  readonly version?: string
  /** Fields of package.json that differ. */
  readonly manifest?: Readonly<Record<string, unknown>>
}

/** What an instance has beside what those of all kinds have. A backend finds one page that tells its configuration. */
const MEMBERS: Readonly<Record<string, string>> = {
  provider: "claims: [], chat: [{ format: 'chat-completions', path: () => '/chat' }],",
  search: `paging: { by: 'offset', perCall: 10 }, search: { run: async ({ q }) => ({ items: [{ title: q + JSON.stringify(config), link: 'https://found.example/' }] }) },`,
}

/** Files of a package in `folder`, named after it, whose only export is an adapter: of chat, or of search. */
export function adapterPackage(folder: string, options: AdapterOptions = {}): Record<string, unknown> {
  const name = folder
    .split('/')
    .slice(folder.startsWith('@') ? -2 : -1)
    .join('/')
  const { version = '1.0.0', kind = 'provider', manifest } = options
  return {
    [`${folder}/package.json`]: {
      name,
      version,
      type: 'module',
      headgate: { adapter: kind },
      exports: { '.': { default: './index.js' } },
      ...manifest,
    },
    [`${folder}/index.js`]: adapterSource({ id: name, ...options }),
  }
}

export function adapterSource({
  id = 'x',
  kind = 'provider',
  contract = 1,
  enable = 'configured',
  config = '',
  env = {},
  probe,
}: AdapterOptions): string {
  return `import { z } from '${import.meta.resolve('zod')}'
const instance = (config) => ({ name: '${id}', baseUrl: config.baseUrl, credential: { kind: 'none' }, ${MEMBERS[kind] ?? ''} given: config })
export const adapter = Object.assign(instance, {
  id: '${id}', title: '${id}', kind: '${kind}', contract: ${contract}, enable: '${enable}', env: ${JSON.stringify(env)},
  config: z.strictObject({ ${config} }),${probe ? `\n  probe: ${probe},` : ''}
})
`
}
