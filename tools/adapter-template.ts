import { readFileSync } from 'node:fs'
import { mendManifest } from './structure/derived.ts'
import { factoryName } from './structure/repository.ts'

export type AdapterKind = 'provider' | 'search'

/** What is laid down. `codec`: a provider with a format of its own; `signed`: one whose credential is leased. */
export type TemplateId = AdapterKind | 'codec' | 'signed'

/** A provider that speaks chat completions, or a search backend. */
export interface NewAdapter {
  readonly id: string
  readonly title: string
  readonly baseUrl: string
  /** The page of the vendor that its requests are built from. */
  readonly docs?: string | undefined
  /** A search backend whose vendor is a provider as well: the base URL then has a variable of its own. */
  readonly isBoth?: boolean
}

/** What the templates have for themselves. */
interface Template {
  readonly kind: AdapterKind
  /** Where packages of this kind lie. */
  readonly parent: string
  /** What the package is, in a sentence that begins with the vendor's name. */
  readonly role: string
  /** Sources and tests by their paths in the package. */
  files(adapter: NewAdapter): Readonly<Record<string, string>>
  /** Fields of the config, as rows of the README's table; default `apiKey` and `baseUrl`. */
  options?(adapter: NewAdapter): readonly (readonly [option: string, variable: string, fallback: string])[]
  /** The last sentence of the README. */
  readonly deviations: string
}

export const TEMPLATES: Readonly<Record<TemplateId, Template>> = {
  provider: {
    kind: 'provider',
    parent: 'packages/providers',
    role: 'a provider',
    files: (adapter) => ({ 'src/index.ts': providerIndex(adapter), [`test/${adapter.id}.test.ts`]: providerTest(adapter) }),
    deviations: 'It speaks chat completions without a known deviation.',
  },
  codec: {
    kind: 'provider',
    parent: 'packages/providers',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': filled('codec.index', adapter),
      'src/codec.ts': filled('codec.codec', adapter),
      'test/vendor.ts': filled('codec.vendor', adapter),
      [`test/${adapter.id}.test.ts`]: filled('codec.test', adapter),
    }),
    deviations: 'It speaks a format of its own: text and tools. What else a caller asks for is declared in `headgate-lost`.',
  },
  signed: {
    kind: 'provider',
    parent: 'packages/providers',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': filled('signed.index', adapter),
      [`test/${adapter.id}.test.ts`]: filled('signed.test', adapter),
    }),
    options: (adapter) => [
      ['clientId', 'CLIENT_ID', 'required'],
      ['clientSecret', 'CLIENT_SECRET', 'required'],
      ['tokenUrl', 'TOKEN_URL', `\`${tokenUrl(adapter)}\``],
      ['baseUrl', 'BASE_URL', `\`${adapter.baseUrl}\``],
    ],
    deviations: 'It speaks chat completions without a known deviation, with a token that is obtained for a client and its secret.',
  },
  search: {
    kind: 'search',
    parent: 'packages/search',
    role: 'a search backend',
    files: (adapter) => ({ 'src/index.ts': searchIndex(adapter), [`test/${adapter.id}.test.ts`]: searchTest(adapter) }),
    deviations: 'It carries no parameter of a search beside the words; what else a caller asks for is declared in `headgate-lost`.',
  },
}

/** The files of a new adapter, by path from the root of the repository. */
export function adapterFiles(template: Template, adapter: NewAdapter, zodRange: string): Record<string, string> {
  const { id, title } = adapter
  const { kind } = template
  const folder = `${template.parent}/${id}`
  return {
    [`${folder}/package.json`]: packageJson(template, adapter, zodRange),
    ...Object.fromEntries(Object.entries(template.files(adapter)).map(([path, text]) => [`${folder}/${path}`, text])),
    [`${folder}/README.md`]: readme(template, adapter),
    [`.changeset/${id}-${kind}.md`]: `---\n'@headgate/${kind}-${id}': minor\n---\n\nAdds ${title} as ${template.role}.\n`,
  }
}

/** A template of `templates/` with what this adapter is. */
function filled(name: string, adapter: NewAdapter): string {
  const { id, title, baseUrl, docs } = adapter
  const values: Readonly<Record<string, string>> = {
    ID: id,
    NAME: factoryName(id),
    TEXT: title,
    TITLE: quote(title),
    URL: quote(baseUrl),
    TOKEN_URL: quote(tokenUrl(adapter)),
    PATH: pathOf(baseUrl),
    PREFIX: prefixOf(id),
    SEE: see(docs),
    ANSWERS: docs === undefined ? '' : `// Written from ${docs}\n`,
  }
  const template = readFileSync(new URL(`templates/${name}.txt`, import.meta.url), 'utf8')
  return template.replace(/__([A-Z]+(?:_[A-Z]+)*?)__/g, (_, key: string) => values[key] ?? key)
}

function tokenUrl({ baseUrl }: NewAdapter): string {
  return `${new URL(baseUrl).origin}/oauth2/token`
}

function packageJson({ kind, parent, role }: Template, { id, title }: NewAdapter, zodRange: string): string {
  // The changeset makes it 0.1.0.
  const manifest = { name: `@headgate/${kind}-${id}`, version: '0.0.0', description: `${title} as ${role} of Headgate.` }
  return mendManifest({ folder: `${parent}/${id}`, kind, id, manifest, sources: [], entries: [] }, zodRange)
}

function providerIndex({ id, title, baseUrl, docs }: NewAdapter): string {
  return `import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * ${title}.
 *
 * Speaks chat completions without a known deviation.
${see(docs)} */
export const ${factoryName(id)} = openAICompatible({
  id: '${id}',
  title: ${quote(title)},
  baseUrl: ${quote(baseUrl)},
})
`
}

function providerTest({ id, baseUrl }: NewAdapter): string {
  const name = factoryName(id)
  const path = pathOf(baseUrl)
  return `import { testProvider } from '@headgate/conformance'
import { ${name} } from '../src/index.ts'

testProvider(${name}, {
  config: { apiKey: 'test-key-of-${id}' },
  model: 'test-model',
  upstream: {
    format: 'chat-completions',
    path: '${path}/chat/completions',
    models: '${path}/models',
    credential: { header: 'authorization', value: 'Bearer test-key-of-${id}' },
  },
})
`
}

function searchIndex(adapter: NewAdapter): string {
  const { id, title, baseUrl, docs, isBoth } = adapter
  const env = isBoth ? `{ ...endpointEnv('${id}'), baseUrl: ['${baseUrlVariable(adapter)}'] }` : `endpointEnv('${id}')`
  return `import { defineSearchBackend, endpoint, endpointEnv, field, getQuery, readItems } from '@headgate/core/search'
import { z } from 'zod'

/**
 * ${title}.
 *
 * Begins at any result and gives up to ten of them.
${see(docs)} */
export const ${factoryName(id)} = defineSearchBackend(
  {
    id: '${id}',
    title: ${quote(title)},
    config: z.strictObject(endpoint(${quote(baseUrl)})),
    env: ${env},
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: { kind: 'header', name: 'authorization', value: \`Bearer \${apiKey}\` },
    paging: { by: 'offset', perCall: 10 },
    search: {
      request: ({ q, limit, offset }) => getQuery('/search', { q, limit, offset }),
      response: ({ body }) => ({
        items: readItems(field(body, 'results'), ({ url, title, snippet }) => ({ link: url, title, snippet })),
      }),
    },
  }),
)
`
}

function searchTest({ id, baseUrl, docs }: NewAdapter): string {
  const name = factoryName(id)
  return `import { testSearchBackend } from '@headgate/conformance'
import { ${name} } from '../src/index.ts'

${docs === undefined ? '' : `// Answers as in ${docs}\n`}testSearchBackend(${name}, {
  config: { apiKey: 'test-key-of-${id}' },
  credential: { header: 'authorization', value: 'Bearer test-key-of-${id}' },
  upstream: {
    path: '${pathOf(baseUrl)}/search',
    method: 'GET',
    read: ({ query }) => ({ q: query.get('q'), limit: Number(query.get('limit')), offset: Number(query.get('offset')) }),
    write: (results) => ({ results: results.map(({ url, title, text }) => ({ url, title, snippet: text })) }),
    maxLimit: 10,
  },
})
`
}

function readme({ kind, role, deviations, options }: Template, adapter: NewAdapter): string {
  const { id, title, baseUrl } = adapter
  const variable = prefixOf(id)
  const rows = options?.(adapter).map(([option, name, fallback]) => [option, `${variable}_${name}`, fallback]) ?? [
    ['apiKey', `${variable}_API_KEY`, 'required'],
    ['baseUrl', baseUrlVariable(adapter), `\`${baseUrl}\``],
  ]
  const given = rows.filter(([, , fallback]) => fallback === 'required').map(([, name]) => `${name}=…`)
  return `# @headgate/${kind}-${id}

${title} as ${role} of [Headgate](https://github.com/headgate/headgate).

\`\`\`sh
npm install @headgate/${kind}-${id}
${given.join(' ')} npx --no-install headgate
\`\`\`

| Option | Environment | Default |
| --- | --- | --- |
${rows.map(([option, name, fallback]) => `| \`${option}\` | \`${name}\` | ${fallback} |`).join('\n')}

${deviations}
`
}

function prefixOf(id: string): string {
  return id.toUpperCase().replaceAll('-', '_')
}

function baseUrlVariable({ id, isBoth }: NewAdapter): string {
  return `${prefixOf(id)}${isBoth ? '_SEARCH' : ''}_BASE_URL`
}

function see(docs: string | undefined): string {
  return docs === undefined ? '' : ` *\n * @see ${docs}\n`
}

/** What of a base URL stands in a path: nothing for a host. */
function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
