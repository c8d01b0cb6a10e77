import { byName, type DeclarationChange, differences } from './change.ts'
import type { DeclaredProject } from './declaration.ts'
import type { ManagedProject } from './state.ts'

/** Changes of projects. Projects that are not declared are archived. */
export function projectChanges(
  declared: readonly DeclaredProject[],
  stored: readonly ManagedProject[],
): DeclarationChange[] {
  const known = byName('project', stored, ({ name }) => name)
  const names = new Set(declared.map(({ name }) => name))
  return [
    ...declared.flatMap((project) => changesOf(project, known.get(project.name))),
    ...stored.filter(({ name, archivedAt }) => archivedAt === undefined && !names.has(name)).map(archive),
  ]
}

function changesOf(
  { name, archived = false, sharesResponses = false }: DeclaredProject,
  stored: ManagedProject | undefined,
): DeclarationChange[] {
  const terms = { archived, sharesResponses }
  if (!stored) return [create(name, terms)]
  const { id, archivedAt, version } = stored
  const fields = differences({ archived: archivedAt !== undefined, sharesResponses: stored.sharesResponses }, terms)
  if (fields.length === 0) return []
  return [
    {
      sign: '~',
      what: `project ${name}`,
      fields,
      carryOut: ({ client }) => client.request(`/projects/${id}`, { method: 'PATCH', body: terms, version }),
    },
  ]
}

function create(
  name: string,
  terms: { readonly archived: boolean; readonly sharesResponses: boolean },
): DeclarationChange {
  return {
    sign: '+',
    what: `project ${name}`,
    fields: differences({ archived: false, sharesResponses: false }, terms),
    async carryOut({ client, ids }) {
      const { id } = await client.request<{ id: string }>('/projects', { method: 'POST', body: { name } })
      ids.projects.set(name, id)
      if (terms.archived || terms.sharesResponses)
        await client.request(`/projects/${id}`, { method: 'PATCH', body: terms })
    },
  }
}

function archive({ id, name, version }: ManagedProject): DeclarationChange {
  return {
    sign: '-',
    what: `project ${name}`,
    fields: ['is archived'],
    carryOut: ({ client }) => client.request(`/projects/${id}`, { method: 'PATCH', body: { archived: true }, version }),
  }
}
