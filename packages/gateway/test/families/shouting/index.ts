import { z } from 'zod'
import type { Exchange } from '../../../../core/src/contract/exchange.ts'
import { invalid } from '../../../../core/src/errors.ts'
import type { CostInput, UsageBound } from '../../../src/cost/bound.ts'
import { readBody } from '../../../src/edge/body.ts'
import { bodyOf, HEADERS, objectResponse } from '../../../src/edge/operation.ts'
import { NO_CALL } from '../../../src/http/exchange.ts'
import type { Family } from '../../../src/serve/family.ts'
import { route } from '../../../src/serve/route.ts'
import { serveUnary } from '../../../src/serve/unary.ts'
import { callSupport } from '../../../src/serve/upstream-caller.ts'

type Shouting = Exchange<{ model: string; text: string }, { shout: string }>

/** The line that a family adds to a provider. */
declare module '../../../../core/src/contract/provider.ts' {
  interface Provider {
    readonly shouting?: Shouting
  }
}

const schema = z.strictObject({ model: z.string().min(1), text: z.string() })

function bound({ body }: CostInput): UsageBound | undefined {
  return body && { input: 0, output: 0, units: { characters: body.bytes.length } }
}

/** A family that there is only for this test: it makes texts loud, by the character. */
export const shouting: Family = {
  id: 'shouting',
  kind: 'provider',
  schemas: { shouting: schema },
  errors: (path) =>
    path.startsWith('/v1/shouts')
      ? { writeError: ({ message, param }, id) => ({ OUCH: message.toUpperCase(), param, id }) }
      : undefined,
  has: ({ shouting }) => shouting !== undefined,
  bound,
  open: (core) => ({
    routes: [
      {
        method: 'POST',
        path: '/v1/shouts',
        operation: {
          id: 'shout',
          summary: 'Makes a text loud.',
          parameters: HEADERS,
          requestBody: bodyOf('shouting'),
          responses: objectResponse('The shout.'),
        },
        async serve(context) {
          const body = await readBody(context.incoming, core.limits, context.memory)
          const asked = schema.safeParse(body.json)
          if (!asked.success) throw invalid(String(asked.error.issues[0]?.path[0] ?? 'text'), 'it must be a text')
          const { model, text } = asked.data
          const usage = { input: 0, output: 0, units: { characters: text.length } }
          await serveUnary(core, context, {
            family: 'shouting',
            format: 'shouts',
            model,
            candidates: async () => route(core, context, { model, family: 'shouting' }),
            plan: (candidate) => ({ candidate, losses: [], way: 'exchange' }),
            bound: () => bound({ body }),
            async call({ candidate: { instance, model } }, asking) {
              const support = instance.provider.shouting as Shouting
              const shout = { support, input: { model, text }, call: { ...NO_CALL, model } }
              const given = await callSupport(
                asking,
                () => bound({ body }),
                shout,
                (said) => ({ said, usage, model }),
              )
              return { bytes: Buffer.from(JSON.stringify(given.said)), given }
            },
          })
        },
      },
    ],
  }),
}
