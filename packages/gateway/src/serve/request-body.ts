import type { ParsedBody } from '../edge/body.ts'
import { readBody } from '../edge/body.ts'
import { addBodyClaims } from '../edge/claims.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Reads and parses the body of a request. Its claims are added to the context. */
export async function readRequestBody({ limits }: Pick<Core, 'limits'>, context: Context): Promise<ParsedBody> {
  const body = await readBody(context.incoming, limits, context.memory)
  addBodyClaims(context, body.json)
  return body
}
