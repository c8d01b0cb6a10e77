import { z } from '@hono/zod-openapi'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, Name, PAGE, pageOf, Version } from '../schemas.ts'

const Project = z
  .object({
    id: z.string(),
    organization: z.string(),
    name: z.string(),
    createdAt: Instant,
    archivedAt: Instant.optional(),
    sharesResponses: z
      .boolean()
      .openapi({ description: 'True if all its keys can use each other’s stored responses.' }),
    version: Version,
  })
  .openapi('Project')

const ProjectId = z.strictObject({ project: Id })

export const PROJECT_ROUTES = [
  route({
    method: 'get',
    path: '/projects',
    id: 'listProjects',
    summary: 'Lists projects.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'projects.read',
    query: z.strictObject(PAGE),
    answer: pageOf(Project),
    async handle({ parts, caller, organization, query }) {
      const all = await parts.accounts.listProjects(caller, organization)
      return { body: pageFrom('projects', all, ({ createdAt, id }) => [createdAt, id], query) }
    },
  }),
  route({
    method: 'post',
    path: '/projects',
    id: 'createProject',
    summary: 'Creates a project.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'projects.write',
    status: 201,
    body: z.strictObject({ name: Name }),
    answer: Project,
    async handle({ parts, caller, organization, body }) {
      const made = await parts.accounts.createProject(caller, organization, body.name)
      return { body: made, version: made.version }
    },
  }),
  route({
    method: 'get',
    path: '/projects/{project}',
    id: 'readProject',
    summary: 'Reads a project.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'projects.read',
    isVersioned: true,
    params: ProjectId,
    answer: Project,
    async handle({ parts, caller, organization, params }) {
      const body = await parts.accounts.readProject(caller, organization, params.project)
      return { body, version: body.version }
    },
  }),
  route({
    method: 'patch',
    path: '/projects/{project}',
    id: 'changeProject',
    summary: 'Renames, archives or restores a project, or changes whether its keys share stored responses.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'projects.write',
    isVersioned: true,
    params: ProjectId,
    body: z.strictObject({
      name: Name.optional(),
      archived: z.boolean().optional(),
      sharesResponses: z.boolean().optional(),
    }),
    answer: Project,
    async handle({ parts, caller, organization, params, body: { name, archived, sharesResponses }, version }) {
      const changed = await parts.accounts.changeProject(caller, organization, params.project, {
        ...(name !== undefined && { name }),
        ...(archived !== undefined && { archived }),
        ...(sharesResponses !== undefined && { sharesResponses }),
        ...(version !== undefined && { version }),
      })
      return { body: changed, version: changed.version }
    },
  }),
]
