import { z } from '@hono/zod-openapi'
import { route } from '../route.ts'
import { Id, Instant, listOf, Name } from '../schemas.ts'

/** Lists that have views. */
const PAGES = ['requests'] as const

const SavedView = z
  .object({
    id: z.string(),
    name: z.string(),
    page: z.enum(PAGES),
    search: z.string().openapi({ description: 'Query of its address.', example: 'outcome=failed&sort=cost' }),
    isTeams: z.boolean().openapi({ description: 'True if all members of the organization see it.' }),
    createdAt: Instant,
  })
  .openapi('SavedView')

const PEOPLE = ['session'] as const

export const VIEW_ROUTES = [
  route({
    method: 'get',
    path: '/views',
    id: 'listViews',
    summary: 'Lists your saved views of a list, and the views of the team.',
    by: PEOPLE,
    action: 'views.write',
    query: z.strictObject({ page: z.enum(PAGES) }),
    answer: z.object({ items: listOf(SavedView) }),
    async handle({ parts, caller, organization, query: { page } }) {
      const items = await parts.accounts.listViews(caller, organization, page)
      return { body: { items: items.map((view) => ({ ...view, page })) } }
    },
  }),
  route({
    method: 'put',
    path: '/views',
    id: 'saveView',
    summary:
      'Saves a view of a list under a name. A view of this name is replaced. Owners and admins save for the team.',
    by: PEOPLE,
    action: 'views.write',
    body: z.strictObject({
      page: z.enum(PAGES),
      name: Name,
      search: z.string().max(4_000),
      isTeams: z.boolean().optional(),
    }),
    answer: SavedView,
    async handle({ parts, caller, organization, body }) {
      const { isTeams = false, page } = body
      const saved = await parts.accounts.saveView(caller, organization, { ...body, isTeams })
      return { body: { ...saved, page } }
    },
  }),
  route({
    method: 'delete',
    path: '/views/{view}',
    id: 'removeView',
    summary: 'Deletes a saved view.',
    by: PEOPLE,
    action: 'views.write',
    params: z.strictObject({ view: Id }),
    async handle({ parts, caller, organization, params }) {
      await parts.accounts.removeView(caller, organization, params.view)
      return {}
    },
  }),
]
