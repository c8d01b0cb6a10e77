import { testProvider } from '@headgate/conformance'
import { describe } from 'vitest'
import { luma } from '../src/index.ts'
import { agents, dreamMachine } from './vendor.ts'

const apiKey = 'zebra.of.the.luma'
const upstream = { credential: { header: 'authorization', value: `Bearer ${apiKey}` } }

describe('agents', () => testProvider(luma, { config: { apiKey }, upstream, video: agents }))
describe('dream-machine', () =>
  testProvider(luma, { config: { apiKey, api: 'dream-machine' }, upstream, video: dreamMachine }))
