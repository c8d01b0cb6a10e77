import { HeadgateError, uuidv7 } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, Name, Version } from '../schemas.ts'

const Minutes = z.int().min(5).max(120)
const Kind = z.enum(['webhook', 'slack', 'teams', 'mail'])
const Rules = z.strictObject({
  spend: z.boolean().optional().openapi({ description: 'True for alerts of budgets: 50, 80 and 100 % are spent.' }),
  errors: z
    .strictObject({ above: z.int().min(1).max(100), minutes: Minutes })
    .optional()
    .openapi({ description: 'Percentage of failed requests, of at least 20 requests.' }),
  latency: z
    .strictObject({ above: z.int().min(1).max(600_000), minutes: Minutes })
    .optional()
    .openapi({
      description: '95th percentile of the time to the first byte in milliseconds, of at least 20 responses.',
    }),
})

const Destination = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: Kind,
    shown: z.string().openapi({ description: 'Host of the URL, or the mail address. The URL itself is write-only.' }),
    rules: Rules,
    createdBy: z.string().optional().openapi({ description: 'Id of a person.' }),
    createdAt: Instant,
    version: Version,
  })
  .openapi('AlertDestination')

const DestinationId = z.strictObject({ destination: Id })
const Address = z.string().min(1).max(2_000).openapi({ description: 'URL, or mail address. No response contains it.' })
const fields = { name: Name, kind: Kind, rules: Rules }

export const ALERT_ROUTES = [
  route({
    method: 'get',
    path: '/alerts/destinations',
    id: 'listAlertDestinations',
    summary: 'Lists destinations of alerts, without their URLs.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isGateways: true,
    answer: z.object({
      items: listOf(Destination),
      hasMail: z.boolean().openapi({ description: 'True if the configuration has a mail server.' }),
    }),
    async handle({ parts, caller }) {
      const items = await parts.accounts.listDestinations(caller)
      return { body: { items, hasMail: parts.mail !== undefined } }
    },
  }),
  route({
    method: 'post',
    path: '/alerts/destinations',
    id: 'addAlertDestination',
    summary: 'Adds a destination of alerts. Its address is stored encrypted and must be public.',
    by: ['session'],
    action: 'budgets.write',
    isGateways: true,
    status: 201,
    body: z.strictObject({ ...fields, address: Address }),
    answer: Destination,
    async handle({ parts, caller, body: { address, ...body } }) {
      checkSendable(parts, body.kind)
      const id = `dest_${uuidv7()}`
      const sealed = await deskOf(parts).seal({ id, kind: body.kind }, address)
      const added = await parts.accounts.setDestination(caller, { ...body, id, ...sealed })
      return { body: added, version: added.version }
    },
  }),
  route({
    method: 'put',
    path: '/alerts/destinations/{destination}',
    id: 'changeAlertDestination',
    summary: 'Changes a destination of alerts. Without `address`, the stored one stays.',
    by: ['session'],
    action: 'budgets.write',
    isGateways: true,
    isVersioned: true,
    params: DestinationId,
    body: z.strictObject({ ...fields, address: Address.optional() }),
    answer: Destination,
    async handle({ parts, caller, params: { destination: id }, body: { address, ...body }, version }) {
      checkSendable(parts, body.kind)
      const sealed = address === undefined ? {} : await deskOf(parts).seal({ id, kind: body.kind }, address)
      const changed = await parts.accounts.setDestination(caller, { ...body, id, ...sealed, follows: version })
      return { body: changed, version: changed.version }
    },
  }),
  route({
    method: 'delete',
    path: '/alerts/destinations/{destination}',
    id: 'removeAlertDestination',
    summary: 'Removes a destination of alerts.',
    by: ['session'],
    action: 'budgets.write',
    isGateways: true,
    isVersioned: true,
    params: DestinationId,
    async handle({ parts, caller, params, version }) {
      await parts.accounts.removeDestination(caller, params.destination, version)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/alerts/destinations/{destination}/test',
    id: 'testAlertDestination',
    summary: 'Sends a test alert to a destination.',
    by: ['session'],
    action: 'budgets.write',
    isGateways: true,
    params: DestinationId,
    async handle({ parts, caller, organization, params: { destination } }) {
      await deskOf(parts).test(destination)
      await parts.accounts.recordAct(caller, { action: 'alert.test', target: destination, organization })
      return {}
    },
  }),
]

/** Checks that the gateway can send to a kind of destination. @throws HeadgateError `invalid-request` */
function checkSendable({ mail }: ManagementParts, kind: z.infer<typeof Kind>): void {
  if (kind !== 'mail' || mail !== undefined) return
  const message = 'This gateway has no mail server. Set `accounts.smtp` in its configuration, or use another kind.'
  throw new HeadgateError('invalid-request', message, { param: 'kind' })
}

function deskOf({ destinations }: ManagementParts) {
  if (destinations) return destinations
  throw new HeadgateError('conflict', 'Destinations of alerts of this gateway are set in its configuration.')
}
