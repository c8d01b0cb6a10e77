import { readFileSync } from 'node:fs'
import { factoryName, type NewAdapter } from './adapter.ts'

export type AdapterKind = 'provider' | 'search'

/**
 * What is laid down. `preset`: a provider that speaks chat completions; `codec`: one with a format of its own;
 * `signed`: one whose credential is leased.
 */
export type TemplateId = 'preset' | 'codec' | 'signed' | 'search'

/** What the templates have for themselves. */
export interface Template {
  readonly kind: AdapterKind
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
  preset: {
    kind: 'provider',
    role: 'a provider',
    files: (adapter) => ({
      'src/index.ts': providerIndex(adapter),
      [`test/${adapter.id}.test.ts`]: providerTest(adapter),
    }),
    deviations: 'It speaks chat completions without a known deviation.',
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
      'It speaks a format of its own: text and tools. What else a caller asks for is declared in `headgate-lost`.',
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
      'It speaks chat completions without a known deviation, with a token that is obtained for a client and its secret.',
  },
  search: {
    kind: 'search',
    role: 'a search backend',
    files: (adapter) => ({ 'src/index.ts': searchIndex(adapter), [`test/${adapter.id}.test.ts`]: searchTest(adapter) }),
    deviations:
      'It carries no parameter of a search beside the words; what else a caller asks for is declared in `headgate-lost`.',
  },
}

/** Sources, tests and README of a new adapter, by path in its package. */
export function adapterFiles(template: Template, adapter: NewAdapter): Record<string, string> {
  return { ...template.files(adapter), 'README.md': readme(template, adapter) }
}

/** The variables without which a new adapter is not used. */
export function requiredVariables(template: Template, adapter: NewAdapter): string[] {
  return optionsOf(template, adapter).flatMap(([, variable, fallback]) => (fallback === REQUIRED ? [variable] : []))
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
  const template = readFileSync(new URL(`../templates/${name}.txt`, import.meta.url), 'utf8')
  return template.replace(/__([A-Z]+(?:_[A-Z]+)*?)__/g, (_, key: string) => values[key] ?? key)
}

function tokenUrl({ baseUrl }: NewAdapter): string {
  return `${new URL(baseUrl).origin}/oauth2/token`
}

/** What decides whether a new adapter is used, as its package.json says it: the field `headgate`. */
export function describedField(template: Template, adapter: NewAdapter) {
  const options = optionsOf(template, adapter)
  return {
    adapter: template.kind,
    id: adapter.id,
    title: adapter.title,
    env: Object.fromEntries(options.map(([option, variable]) => [option, [variable]])),
    requires: options.flatMap(([option, , fallback]) => (fallback === REQUIRED ? option : [])),
  }
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
  return `import { bearer, defineSearchBackend, endpoint, endpointEnv, field, getQuery, readItems } from '@headgate/core/search'
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

${docs === undefined ? '' : `// Answers as in ${docs}\n`}testSearchBackend(${name}, {
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

/** What of a base URL stands in a path: nothing for a host. */
function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
