import type { TaskKind } from '../../serve/tasks/kind.ts'
import type { Linking } from './link.ts'
import { taskResponse } from './response.ts'
import { supportOf } from './result.ts'

/** Video tasks for the task pipeline. */
export function videoTasks(linking: Linking): TaskKind {
  return {
    family: 'video',
    format: 'ark',
    support: supportOf,
    callbackBody: (task) => taskResponse(linking, task),
    isRefusal: ({ kind }) => kind.startsWith('refused-'),
  }
}
