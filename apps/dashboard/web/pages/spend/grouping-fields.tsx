import { useMay } from '../../api/me.ts'
import { SelectField, TextField } from '../../components/field.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { CLAIMS, DIMENSIONS, SPLITS, type SpendSearch, type Split } from './search.ts'
import { SPLIT_NAMES } from './titles.ts'

/** Fields for the group and the subgroup. */
export function GroupingFields({ search: { by = 'model', then, tag } }: { readonly search: SpendSearch }) {
  const change = useChangeSearch<SpendSearch>()
  // Sums by what callers send cover all people.
  const isAll = useMay('usage.read') === 'all'
  const splits = isAll ? SPLITS : DIMENSIONS
  const isClaim = CLAIMS.some((one) => one === by)
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label="Group by"
        isLabelHidden
        value={by}
        onPick={(value: Split) => change({ by: value, ...(value === then && { then: undefined }) })}
        choices={splits.map((value) => ({ value, title: `by ${SPLIT_NAMES[value]}` }))}
      />
      {!isClaim && (
        <SelectField
          label="Subgroup"
          isLabelHidden
          value={then ?? ''}
          onPick={(value) => change({ then: DIMENSIONS.find((one) => one === value) })}
          choices={[
            { value: '', title: 'no subgroup' },
            ...DIMENSIONS.filter((one) => one !== by).map((value) => ({
              value,
              title: `and by ${SPLIT_NAMES[value]}`,
            })),
          ]}
        />
      )}
      {by === 'tag' && (
        <TextField
          label="Name of the tag"
          isLabelHidden
          placeholder="Tag, such as team"
          value={tag ?? ''}
          maxLength={32}
          onText={(text) =>
            change({ tag: text.toLowerCase().replaceAll(/[^a-z0-9_.-]/g, '') || undefined }, { replace: true })
          }
        />
      )}
    </div>
  )
}
