import { describe, expect, it } from 'vitest'
import { problems } from './sound-repository.ts'

describe('a room of core', () => {
  const src = 'packages/core/src'

  it('imports from itself and from those below', () => {
    expect(
      problems({
        [`${src}/gateway.ts`]: "import './families/index.ts'\nimport './errors.ts'\n",
        [`${src}/errors.ts`]: '',
        [`${src}/families/index.ts`]: "import './chat/index.ts'\n",
        [`${src}/families/chat/index.ts`]: "import './serve.ts'\nimport '../../pipeline/attempt.ts'\nimport 'zod'\n",
        [`${src}/families/chat/serve.ts`]: "import '../../canonical/json.ts'\n",
        [`${src}/pipeline/attempt.ts`]: "import '../http/upstream.ts'\n",
        [`${src}/http/upstream.ts`]: "import '../errors.ts'\n",
        [`${src}/canonical/json.ts`]: '',
      }),
    ).toEqual([])
  })

  it.each([
    ['canonical/json.ts', '../contract/http.ts', 'canonical up to contract'],
    ['http/upstream.ts', '../edge/sink.ts', 'http up to edge'],
    ['pipeline/attempt.ts', '../families/chat/index.ts', 'pipeline up to families'],
    ['families/index.ts', '../gateway.ts', 'families up to the root'],
    ['errors.ts', './canonical/json.ts', 'the ground up to canonical'],
  ])('does not import up: %s from %s', (file, specifier, arrow) => {
    expect(problems({ [`${src}/${file}`]: `import x from '${specifier}'\nexport const y = x\n` })).toEqual([
      expect.stringMatching(`${file}:1  imports '${specifier}', from ${arrow}: move what both need down  \\[rooms\\]$`),
    ])
  })

  it('that is a family knows no other', () => {
    expect(problems({ [`${src}/families/search/serve.ts`]: "import '../chat/stream.ts'\n" })).toEqual([
      expect.stringContaining("imports '../chat/stream.ts', of another family: move what both need into pipeline/"),
    ])
  })

  it('is one of those that there are, and families/ holds families', () => {
    expect(
      problems({ [`${src}/helpers/x.ts`]: '', [`${src}/families/failure.ts`]: '', [`${src}/families/index.ts`]: '' }),
    ).toEqual([
      expect.stringContaining(
        'families/failure.ts  does not belong here: families/ holds index.ts and a folder for each family',
      ),
      expect.stringContaining(
        'helpers/x.ts  is in a room that core does not have: its rooms are families, pipeline, routing',
      ),
    ])
  })
})
