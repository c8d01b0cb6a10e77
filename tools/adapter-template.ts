import { mendManifest } from './structure/derived.ts'
import { factoryName } from './structure/repository.ts'

/** A provider that speaks chat completions. */
export interface NewProvider {
  readonly id: string
  readonly title: string
  readonly baseUrl: string
  /** The page of the vendor that its requests are built from. */
  readonly docs?: string | undefined
}

/** The files of a new provider, by path from the root of the repository. */
export function providerFiles(provider: NewProvider, zodRange: string): Record<string, string> {
  const folder = `packages/providers/${provider.id}`
  return {
    [`${folder}/package.json`]: packageJson(folder, provider, zodRange),
    [`${folder}/src/index.ts`]: index(provider),
    [`${folder}/test/${provider.id}.test.ts`]: test(provider),
    [`${folder}/README.md`]: readme(provider),
    [`.changeset/${provider.id}-provider.md`]: `---\n'@headgate/provider-${provider.id}': minor\n---\n\nAdds ${provider.title} as a provider.\n`,
  }
}

function packageJson(folder: string, { id, title }: NewProvider, zodRange: string): string {
  // The changeset makes it 0.1.0.
  const manifest = { name: `@headgate/provider-${id}`, version: '0.0.0', description: `${title} as a provider of Headgate.` }
  return mendManifest({ folder, kind: 'provider', id, manifest, sources: [], entries: [] }, zodRange)
}

function index({ id, title, baseUrl, docs }: NewProvider): string {
  return `import { openAICompatible } from '@headgate/core/openai-compatible'

/**
 * ${title}.
 *
 * Speaks chat completions without a known deviation.
${docs === undefined ? '' : ` *\n * @see ${docs}\n`} */
export const ${factoryName(id)} = openAICompatible({
  id: '${id}',
  title: ${quote(title)},
  baseUrl: ${quote(baseUrl)},
})
`
}

function test({ id, title, baseUrl }: NewProvider): string {
  const name = factoryName(id)
  return `import { describe, expect, it } from 'vitest'
import { ${name} } from '../src/index.ts'

describe(${quote(title)}, () => {
  it('needs an API key and nothing else', () => {
    expect(${name}({ apiKey: 'test-key' })).toMatchObject({
      name: '${id}',
      baseUrl: ${quote(baseUrl)},
      credential: { kind: 'header', name: 'authorization', value: 'Bearer test-key' },
    })
  })
})
`
}

function readme({ id, title, baseUrl }: NewProvider): string {
  const variable = id.toUpperCase().replaceAll('-', '_')
  return `# @headgate/provider-${id}

${title} as a provider of [Headgate](https://github.com/headgate/headgate).

\`\`\`sh
npm install @headgate/provider-${id}
${variable}_API_KEY=… npx headgate
\`\`\`

| Option | Environment | Default |
| --- | --- | --- |
| \`apiKey\` | \`${variable}_API_KEY\` | required |
| \`baseUrl\` | \`${variable}_BASE_URL\` | \`${baseUrl}\` |

It speaks chat completions without a known deviation.
`
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
