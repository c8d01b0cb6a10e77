import { describe, expect, it } from 'vitest'
import { problems } from './sound-repository.ts'

const CORE = 'packages/core/src'
const GATEWAY = 'packages/gateway/src'

describe('a folder of core or of the gateway', () => {
  it('imports from itself and from those below', () => {
    expect(
      problems({
        [`${CORE}/errors.ts`]: '',
        [`${CORE}/canonical/json.ts`]: "import '../errors.ts'\n",
        [`${CORE}/contract/chat.ts`]: "import '../canonical/json.ts'\nimport 'zod'\n",
        [`${CORE}/presets/rerank.ts`]: "import '../contract/chat.ts'\n",
        [`${CORE}/provider.ts`]: "import './presets/rerank.ts'\nimport './errors.ts'\n",
        [`${GATEWAY}/gateway.ts`]: "import './families/index.ts'\nimport './clock.ts'\n",
        [`${GATEWAY}/families/index.ts`]: "import './chat/index.ts'\n",
        [`${GATEWAY}/families/chat/index.ts`]: "import './serve.ts'\nimport '../../serve/attempt.ts'\nimport 'zod'\n",
        [`${GATEWAY}/families/chat/serve.ts`]: "import '@headgate/core/canonical'\n",
        [`${GATEWAY}/serve/attempt.ts`]: "import '../cost/row.ts'\nimport '../routing/health.ts'\n",
        [`${GATEWAY}/cost/row.ts`]: "import '../http/upstream.ts'\n",
        [`${GATEWAY}/routing/health.ts`]: "import '../cost/row.ts'\n",
        [`${GATEWAY}/http/upstream.ts`]: "import '../ports/ledger.ts'\n",
        [`${GATEWAY}/ports/ledger.ts`]: '',
        [`${GATEWAY}/clock.ts`]: '',
      }),
    ).toEqual([])
  })

  it.each([
    [CORE, 'canonical/json.ts', '../contract/http.ts', 'canonical up to contract'],
    [CORE, 'contract/chat.ts', '../presets/rerank.ts', 'contract up to presets'],
    [CORE, 'errors.ts', './canonical/json.ts', 'the ground up to canonical'],
    [GATEWAY, 'http/upstream.ts', '../edge/sink.ts', 'http up to edge'],
    [GATEWAY, 'serve/attempt.ts', '../families/chat/index.ts', 'serve up to families'],
    [GATEWAY, 'cost/row.ts', '../serve/context.ts', 'cost up to serve'],
    [GATEWAY, 'families/index.ts', '../gateway.ts', 'families up to the entries'],
  ])('does not import up: %s/%s from %s', (src, file, specifier, arrow) => {
    expect(problems({ [`${src}/${file}`]: `import x from '${specifier}'\nexport const y = x\n` })).toEqual([
      expect.stringMatching(
        `${file}:1  imports '${specifier}', from ${arrow}: move the shared code down  \\[rooms\\]$`,
      ),
    ])
  })

  it('of core imports no other package, and none imports a file of another one', () => {
    expect(
      problems({
        [`${CORE}/contract/chat.ts`]: "import '@headgate/gateway/ports'\n",
        [`${GATEWAY}/http/upstream.ts`]: "import '../../../core/src/errors.ts'\n",
      }),
    ).toEqual([
      expect.stringContaining("imports '@headgate/gateway/ports': core must not depend on other packages"),
      expect.stringContaining('a file of another package: import its entry'),
    ])
  })

  it('shows at most 60 names to embedders', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `export const name${n} = 1\n`).join('')
    expect(problems({ [`${GATEWAY}/index.ts`]: names(60) })).toEqual([])
    expect(problems({ [`${GATEWAY}/index.ts`]: names(61) })).toEqual([
      expect.stringContaining('exports 61 names; the limit is 60: use ports.ts or operate.ts'),
    ])
  })

  it('that is a family does not import another family', () => {
    expect(problems({ [`${GATEWAY}/families/search/serve.ts`]: "import '../chat/stream.ts'\n" })).toEqual([
      expect.stringContaining("imports '../chat/stream.ts', of another family: move the shared code to serve/"),
    ])
  })

  it('that is a family leaves the steps of the pipeline to serve()', () => {
    expect(problems({ [`${GATEWAY}/families/search/serve.ts`]: "import '../../serve/deadline.ts'\n" })).toEqual([
      expect.stringContaining("imports '../../serve/deadline.ts', a step of serve() for every family"),
    ])
  })

  it('is one of those that the package has, and families/ holds families', () => {
    expect(
      problems({
        [`${CORE}/helpers/x.ts`]: '',
        [`${GATEWAY}/families/failure.ts`]: '',
        [`${GATEWAY}/families/index.ts`]: '',
      }),
    ).toEqual([
      expect.stringContaining(
        'helpers/x.ts  is in an undeclared folder: the folders of the package are presets, credentials, contract',
      ),
      expect.stringContaining(
        'families/failure.ts  is not allowed: families/ contains index.ts and a folder for each family',
      ),
    ])
  })
})
