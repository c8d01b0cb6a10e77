import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { ENVIRONMENTS } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'

/** What was made: the key itself is nowhere but here. */
export interface MadeKey {
  readonly id: string
  readonly secret: string
}

/** The first key, with what matters at first. */
export function NewKey({ onMade }: { onMade(key: MadeKey): void }) {
  const client = useQueryClient()
  const [name, setName] = useState('first')
  const [environment, setEnvironment] = useState('development')
  const [once] = useState(() => crypto.randomUUID?.())
  const make = useMutation({
    mutationFn: () => ask('POST /keys', { body: { name, environment }, once }),
    // A mutation keeps what it was answered: not this.
    gcTime: 0,
    onSuccess: ({ key, stored }) => {
      if (key !== undefined) onMade({ id: stored.id, secret: key })
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Form error={make.error} fields={['name', 'environment']} onSubmit={() => make.mutate()} className="max-w-md">
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Name"
          value={name}
          onText={setName}
          error={fieldError(make.error, 'name')}
          autoComplete="off"
        />
        <SelectField label="Environment" value={environment} onPick={setEnvironment} choices={ENVIRONMENTS} />
      </div>
      <div>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          Make a key
        </Button>
      </div>
    </Form>
  )
}
