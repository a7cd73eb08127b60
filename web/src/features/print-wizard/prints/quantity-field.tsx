import { Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/ui/button.tsx'
import { Field, Input } from '../../../components/ui/field.tsx'
import { clampQuantity, MAX_QUANTITY } from '../prints-state.ts'

interface QuantityFieldProps {
  label: string
  value: number
  onChange: (quantity: number) => void
}

/** A quantity from 1 to 999. The emptied field counts as 1 and stays empty until it is left. */
export function QuantityField({ label, value, onChange }: QuantityFieldProps) {
  const [emptied, setEmptied] = useState(false)

  function type(text: string): void {
    setEmptied(text.trim() === '')
    onChange(clampQuantity(text))
  }

  return (
    <div className="w-fit">
      <Field label={label}>
        {(control) => (
          <span className="flex items-center gap-1">
            <IconButton
              label={`One less: ${label}`}
              icon={<Minus />}
              disabled={value <= 1}
              onClick={() => type(String(value - 1))}
            />
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={emptied ? '' : value}
              onChange={(event) => type(event.target.value)}
              onBlur={() => setEmptied(false)}
              onFocus={(event) => event.target.select()}
              className="w-16! text-center"
            />
            <IconButton
              label={`One more: ${label}`}
              icon={<Plus />}
              disabled={value >= MAX_QUANTITY}
              onClick={() => type(String(value + 1))}
            />
          </span>
        )}
      </Field>
    </div>
  )
}
