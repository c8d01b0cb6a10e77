import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { MOST_TOKENS } from './answer.ts'
import { stream } from './stream.ts'
import { video } from './video.ts'

/**
 * The demo: answers without a key and without a network, and says so in every answer.
 *
 * It is there only while no other provider of chat is. It runs in this process, answers alike to like requests, calls a
 * tool when it is asked to, and counts a token for every four characters. Sampling parameters and reasoning make no
 * difference. Its videos are of slowly changing colors, and take some seconds.
 */
export const demo = defineProvider(
  { id: 'demo', title: 'Demo', config: z.strictObject({}), env: {}, enable: 'last-resort' },
  () => ({
    credential: { kind: 'none' },
    chat: [{ run: stream }],
    video,
    known: [
      {
        id: 'demo',
        families: ['chat', 'video'],
        output: MOST_TOKENS,
        inputs: ['text', 'image', 'pdf', 'audio', 'video'],
        tools: true,
        price: { id: 'demo', input: 0, output: 0, units: { seconds: 0 } },
      },
    ],
    closed: true,
  }),
)
