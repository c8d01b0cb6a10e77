import { Link } from '@tanstack/react-router'
import { Archive, Pencil, Undo2 } from 'lucide-react'
import type { Project } from '../../../api/queries.ts'
import { IconButton } from '../../../components/button.tsx'
import { Chip } from '../../../components/chip.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Time } from '../../../components/values.tsx'
import { count } from '../../../formats/numbers.ts'
import type { Column } from '../../../table/columns.ts'

export type ProjectDeed = 'rename' | 'archive' | 'restore'

export interface Shown {
  /** How many keys each has that can be used; undefined = the one who looks sees none. */
  readonly keys: ReadonlyMap<string, number> | undefined
  readonly mayWrite: boolean
  onAsk(deed: ProjectDeed, of: Project): void
}

/** What a row of the list says. */
export function projectColumns({ keys, mayWrite, onAsk }: Shown): readonly Column<Project>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      isName: true,
      sortBy: ({ name }) => name,
      cell: ({ name, archivedAt }) => (
        <span title={name}>
          {name} {archivedAt !== undefined && <Chip>archived</Chip>}
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
            sortBy: ({ id }: Project) => keys.get(id) ?? 0,
            cell: ({ id }: Project) => (
              <Link
                to="/keys"
                search={{ project: id }}
                className="underline decoration-line underline-offset-2 hover:decoration-current"
              >
                {count(keys.get(id) ?? 0)}
              </Link>
            ),
          },
        ]
      : []),
    {
      id: 'id',
      title: 'Id',
      from: 'md',
      width: '14rem',
      cell: ({ id }) => <CopyId id={id} label="the project's id" />,
    },
    {
      id: 'made',
      title: 'Made',
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
            title: 'Actions',
            isTitleHidden: true,
            width: '5.5rem',
            cell: (project: Project) => <Deeds of={project} onAsk={onAsk} />,
          },
        ]
      : []),
  ]
}

function Deeds({ of, onAsk }: Pick<Shown, 'onAsk'> & { readonly of: Project }) {
  return (
    <span className="flex justify-end">
      <IconButton label={`Change ${of.name}`} onClick={() => onAsk('rename', of)}>
        <Pencil aria-hidden size={14} />
      </IconButton>
      {of.archivedAt === undefined ? (
        <IconButton label={`Archive ${of.name}`} onClick={() => onAsk('archive', of)}>
          <Archive aria-hidden size={14} />
        </IconButton>
      ) : (
        <IconButton label={`Take back ${of.name}`} onClick={() => onAsk('restore', of)}>
          <Undo2 aria-hidden size={14} />
        </IconButton>
      )}
    </span>
  )
}
