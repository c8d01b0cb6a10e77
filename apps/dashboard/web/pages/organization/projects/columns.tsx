import { Link } from '@tanstack/react-router'
import { Archive, Pencil, Undo2 } from 'lucide-react'
import type { ProjectItem } from '../../../api/queries.ts'
import { IconButton } from '../../../components/button.tsx'
import { Chip } from '../../../components/chip.tsx'
import { classes, TOUCHABLE } from '../../../components/classes.ts'
import { CopyId } from '../../../components/copy.tsx'
import { Time } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import { LABELS } from '../../../labels.ts'
import type { TableColumn } from '../../../table/columns.ts'

export type ProjectAction = 'rename' | 'archive' | 'restore'

export interface ProjectCells {
  /** Number of active keys by project ID; undefined = the user cannot see keys. */
  readonly keys: ReadonlyMap<string, number> | undefined
  readonly mayWrite: boolean
  onAction(action: ProjectAction, of: ProjectItem): void
}

/** Columns of the list of projects. */
export function projectColumns({ keys, mayWrite, onAction }: ProjectCells): readonly TableColumn<ProjectItem>[] {
  return [
    {
      id: 'name',
      title: LABELS.name,
      isName: true,
      sortBy: ({ name }) => name,
      cell: ({ name, archivedAt }) => (
        <span title={name}>
          {name} {archivedAt !== undefined && <Chip>{LABELS.archived}</Chip>}
        </span>
      ),
    },
    ...(keys
      ? [
          {
            id: 'keys',
            title: 'Keys',
            isNumber: true,
            width: '5rem',
            sortBy: ({ id }: ProjectItem) => keys.get(id) ?? 0,
            cell: ({ id }: ProjectItem) => (
              <Link
                to="/keys"
                search={{ project: id }}
                className={classes(TOUCHABLE, 'underline decoration-line underline-offset-2 hover:decoration-current')}
              >
                {count(keys.get(id) ?? 0)}
              </Link>
            ),
          },
        ]
      : []),
    {
      id: 'id',
      title: LABELS.id,
      from: 'md',
      width: '14rem',
      cell: ({ id }) => <CopyId id={id} label="project ID" />,
    },
    {
      id: 'created',
      title: LABELS.created,
      width: '9rem',
      from: 'sm',
      isDescending: true,
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(mayWrite
      ? [
          {
            id: 'more',
            title: LABELS.actions,
            isTitleHidden: true,
            width: '5.5rem',
            cell: (project: ProjectItem) => <ActionButtons of={project} onAction={onAction} />,
          },
        ]
      : []),
  ]
}

function ActionButtons({ of, onAction }: Pick<ProjectCells, 'onAction'> & { readonly of: ProjectItem }) {
  return (
    <span className="flex justify-end">
      <IconButton label={`Change ${of.name}`} onClick={() => onAction('rename', of)}>
        <Pencil aria-hidden size={14} />
      </IconButton>
      {of.archivedAt === undefined ? (
        <IconButton label={`Archive ${of.name}`} onClick={() => onAction('archive', of)}>
          <Archive aria-hidden size={14} />
        </IconButton>
      ) : (
        <IconButton label={`${LABELS.restore} ${of.name}`} onClick={() => onAction('restore', of)}>
          <Undo2 aria-hidden size={14} />
        </IconButton>
      )}
    </span>
  )
}
