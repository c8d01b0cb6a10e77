import { testProvider } from '@headgate/conformance'
import { describe } from 'vitest'
import { kling } from '../src/index.ts'
import { isSigned, vendor } from './vendor.ts'

const apiKey = 'zebra.of.the.kling'
const keys = { accessKey: 'ak-of-kling', secretKey: 'panther.of.the.kling' }
const pair = { headers: ['authorization'], isRight: isSigned(keys), secrets: [keys.secretKey] }

describe('by a key', () =>
  testProvider(kling, {
    config: { apiKey },
    upstream: { credential: { header: 'authorization', value: `Bearer ${apiKey}` } },
    video: vendor,
  }))
describe('by a pair of keys', () =>
  testProvider(kling, { config: keys, upstream: { credential: pair }, video: vendor }))
