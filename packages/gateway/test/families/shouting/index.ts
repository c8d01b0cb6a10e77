import { z } from 'zod'
import type { Loss } from '../../../../core/src/canonical/loss.ts'
import type { Exchange } from '../../../../core/src/contract/exchange.ts'
import { HeadgateError, invalid } from '../../../../core/src/errors.ts'
import { readBody } from '../../../src/edge/body.ts'
import { bodyOf, HEADERS, objectAnswer } from '../../../src/edge/operation.ts'
import { runExchange } from '../../../src/http/exchange.ts'
import { charge } from '../../../src/pipeline/charge.ts'
import { answerHead } from '../../../src/pipeline/context.ts'
import type { Family } from '../../../src/pipeline/family.ts'
import { losing } from '../../../src/pipeline/losses.ts'
import { noted } from '../../../src/pipeline/noted.ts'
import { checkModel, route } from '../../../src/pipeline/route.ts'
import { settleRow } from '../../../src/pipeline/row.ts'

/** The line that a family adds to a provider. */
declare module '../../../../core/src/contract/provider.ts' {
  interface Provider {
    readonly shouting?: Exchange<{ model: string; text: string }, { shout: string }>
  }
}

const schema = z.strictObject({ model: z.string().min(1), text: z.string() })

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
  bound: ({ body }) => (body ? { input: 0, output: 0, units: { characters: body.bytes.length } } : undefined),
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
          responses: objectAnswer('The shout.'),
        },
        async serve(context) {
          const { json } = await readBody(context.incoming, core.limits, context.memory)
          const asked = schema.safeParse(json)
          if (!asked.success) throw invalid(String(asked.error.issues[0]?.path[0] ?? 'text'), 'it must be a text')
          const { model, text } = asked.data
          checkModel(context, model)
          const [candidate] = await route(core, context, { model, family: 'shouting' })
          const exchange = candidate?.instance.provider.shouting
          if (!candidate || !exchange) throw new HeadgateError('unknown-model', 'Nobody shouts.')
          const { instance } = candidate
          const usage = { input: 0, output: 0, units: { characters: text.length } }
          const losses: Loss[] = []
          const said = await noted(context, { provider: instance.name, model: candidate.model }, (note) =>
            runExchange(
              core,
              instance.provider,
              exchange,
              { model: candidate.model, text },
              {
                call: { model: candidate.model, stream: false, headers: {}, lose: losing(losses) },
                limit: core.limits.answer,
                signal: AbortSignal.timeout(core.times.whole),
                check({ status }) {
                  note.row.status = status
                },
              },
            ).then((out) => {
              charge(note.row, usage, core.priceOf(candidate, context.startedAt))
              return out
            }),
          )
          await settleRow(core, context, {
            family: 'shouting',
            format: 'shouts',
            model,
            provider: instance.name,
            providerModel: candidate.model,
            stream: false,
            translated: true,
            status: 200,
            usage,
            servedFrom: 0,
            losses,
            billing: (charged) => ({ billed: charged !== null, why: charged === null ? 'price-unknown' : 'served' }),
          })
          answerHead(context, 200, { 'content-type': 'application/json' })
          context.sink.end(JSON.stringify(said))
        },
      },
    ],
  }),
}
