import { expect, it } from 'vitest'
import { bedrock } from '../src/index.ts'

it('Where a container asks for its credentials is a URL: another text is a fault of the configuration', () => {
  const { error } = bedrock.config.safeParse({ region: 'us-east-1', containerUrl: 'agent' })
  expect(error?.issues.map(({ path }) => path)).toContainEqual(['containerUrl'])
})
