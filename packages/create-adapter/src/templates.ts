import { readFileSync } from 'node:fs'
import { factoryName, type NewAdapter } from './adapter.ts'

export type NewAdapterKind = 'provider' | 'search' | 'sink'

/**
 * Template. `preset`: a provider that speaks chat completions; `codec`: a provider with a separate format; `signed`: a
 * provider with a credential lease; `search`: a search backend; `sink`: a destination of usage rows.
 */
export type TemplateId = 'preset' | 'codec' | 'signed' | 'search' | 'sink'

/** Parts in which templates differ. */
export interface Template {
  readonly kind: NewAdapterKind
  /** Role of the package, such as `a provider`, after "Example as …". */
  readonly role: string
  /** Sources and tests, by their paths in the package. */
  files(adapter: NewAdapter): Readonly<Record<string, string>>
  /** Configuration fields, as rows of the README's table. Default: `apiKey` and `baseUrl`. */
  options?(adapter: NewAdapter): readonly (readonly [option: string, variable: string, fallback: string])[]
  /** Condition that enables it. Default: all required fields are set. */
  readonly enable?: 'asked' | undefined
  /** Last sentence of the README. */
  readonly deviations: string
}

export const TEMPLATES: Readonly<Record<TemplateId, Template>> = {
  preset: {
    kind: 'provider',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': providerIndex(adapter),
      [`test/${adapter.id}.test.ts`]: providerTest(adapter),
    }),
    deviations: 'It speaks chat completions without known differences.',
  },
  codec: {
    kind: 'provider',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': filled('codec.index', adapter),
      'src/codec.ts': filled('codec.codec', adapter),
      'test/vendor.ts': filled('codec.vendor', adapter),
      [`test/${adapter.id}.test.ts`]: filled('codec.test', adapter),
    }),
    deviations:
      'It has a separate format with text and tools. Other fields of a request are listed in `headgate-lost`.',
  },
  signed: {
    kind: 'provider',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': filled('signed.index', adapter),
      [`test/${adapter.id}.test.ts`]: filled('signed.test', adapter),
    }),
    options: (adapter) => [
      ['clientId', 'CLIENT_ID', REQUIRED],
      ['clientSecret', 'CLIENT_SECRET', REQUIRED],
      ['tokenUrl', 'TOKEN_URL', `\`${tokenUrl(adapter)}\``],
      ['baseUrl', 'BASE_URL', `\`${adapter.baseUrl}\``],
    ],
    deviations:
      'It speaks chat completions without known differences. Its token comes from an OAuth client id and secret.',
  },
  search: {
    kind: 'search',
    role: 'a search backend',
    files: (adapter) => ({ 'src/index.ts': searchIndex(adapter), [`test/${adapter.id}.test.ts`]: searchTest(adapter) }),
    deviations: 'It supports only the query. Other search parameters of a request are listed in `headgate-lost`.',
  },
  sink: {
    kind: 'sink',
    role: 'a sink',
    files: (adapter) => ({
      'src/index.ts': filled('sink.index', adapter),
      [`test/${adapter.id}.test.ts`]: filled('sink.test', adapter),
    }),
    enable: 'asked',
    deviations: 'It is used if the configuration names it in `sinks`. It sends lines of JSON.',
  },
}

/** Sources, tests and README of a new adapter, by path in its package. */
export function adapterFiles(template: Template, adapter: NewAdapter): Record<string, string> {
  return { ...template.files(adapter), 'README.md': readme(template, adapter) }
}

/** Environment variables that a new adapter requires. */
export function requiredVariables(template: Template, adapter: NewAdapter): string[] {
  return optionsOf(template, adapter).flatMap(([, variable, fallback]) => (fallback === REQUIRED ? [variable] : []))
}

/** Template of `templates/` with the values of an adapter. */
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
  const template = readFileSync(new URL(`../templates/${name}.txt`, import.meta.url), 'utf8')
  return template.replace(/__([A-Z]+(?:_[A-Z]+)*?)__/g, (_, key: string) => values[key] ?? key)
}

function tokenUrl({ baseUrl }: NewAdapter): string {
  return `${new URL(baseUrl).origin}/oauth2/token`
}

/** Metadata of a new adapter for the field `headgate` of its package.json, which decides whether it is used. */
export function describedField(template: Template, adapter: NewAdapter) {
  const options = optionsOf(template, adapter)
  return {
    adapter: template.kind,
    id: adapter.id,
    title: adapter.title,
    ...(template.enable && { enable: template.enable }),
    env: Object.fromEntries(options.map(([option, variable]) => [option, [variable]])),
    requires: options.flatMap(([option, , fallback]) => (fallback === REQUIRED ? option : [])),
  }
}

function providerIndex({ id, title, baseUrl, docs }: NewAdapter): string {
  return `import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * ${title}.
 *
 * Speaks chat completions without known differences.
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
  return `import { bearer, defineSearchBackend, endpoint, endpointEnv, field, getQuery, readItems } from '@headgate/core/search'
import { z } from 'zod'

/**
 * ${title}.
 *
 * Starts at any result and returns up to ten.
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
    credential: bearer(apiKey),
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

${docs === undefined ? '' : `// Responses as in ${docs}\n`}testSearchBackend(${name}, {
  config: { apiKey: 'test-key-of-${id}' },
  credential: { header: 'authorization', value: 'Bearer test-key-of-${id}' },
  upstream: {
    path: '${pathOf(baseUrl)}/search',
    method: 'GET',
    read: ({ query }) => ({
      q: query.get('q'),
      limit: Number(query.get('limit')),
      offset: Number(query.get('offset')),
    }),
    write: (results) => ({ results: results.map(({ url, title, text }) => ({ url, title, snippet: text })) }),
    maxLimit: 10,
  },
})
`
}

const REQUIRED = 'required'

function optionsOf(
  { options }: Template,
  adapter: NewAdapter,
): (readonly [option: string, variable: string, fallback: string])[] {
  const variable = prefixOf(adapter.id)
  return (
    options?.(adapter).map(([option, name, fallback]) => [option, `${variable}_${name}`, fallback] as const) ?? [
      ['apiKey', `${variable}_API_KEY`, REQUIRED],
      ['baseUrl', baseUrlVariable(adapter), `\`${adapter.baseUrl}\``],
    ]
  )
}

function readme(template: Template, adapter: NewAdapter): string {
  const { name, title } = adapter
  const given = requiredVariables(template, adapter).map((variable) => `${variable}=…`)
  return `# ${name}

${title} as ${template.role} of [Headgate](https://github.com/headgate/headgate).

\`\`\`sh
npm install ${name}
${given.join(' ')} npx --no-install headgate
\`\`\`

| Option | Environment | Default |
| --- | --- | --- |
${optionsOf(template, adapter)
  .map(([option, variable, fallback]) => `| \`${option}\` | \`${variable}\` | ${fallback} |`)
  .join('\n')}

${template.deviations}
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

/** Path of a base URL. Empty if the URL has only a host. */
function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
