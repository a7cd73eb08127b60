import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { addPrint } from '../prints-state.ts'
import { change, useWizard } from '../wizard-store.ts'
import type { WizardPhoto } from '../wizard-types.ts'
import { PrintRow } from './print-row.tsx'

/** The prints of every photo with their crops. */
export function PrintList() {
  const { photos, prints, products, isRepeated } = useWizard()
  const [editing, setEditing] = useState<number | null>(prints.length === 1 ? (prints[0]?.key ?? null) : null)
  // The choice above already shows the only print's size and quantity.
  const single = prints.length === 1
  return (
    <section aria-labelledby="your-prints" className="grid gap-3">
      <h4 id="your-prints" className="font-semibold">
        Your prints
      </h4>
      {isRepeated && (
        <p className="rounded-md bg-warn-soft px-4 py-2 text-sm">
          <strong className="text-warn">Check the crop:</strong> that of the earlier order is not kept. The middle of
          each photo is printed unless you adjust it.
        </p>
      )}
      <ul className="grid gap-4">
        {photos.map((photo) => (
          <li key={photo.id} className="grid gap-3 rounded-md p-3 inset-ring inset-ring-line sm:p-4">
            <PhotoTitle photo={photo} />
            <ul className="grid gap-4">
              {prints
                .filter(({ photoId }) => photoId === photo.id)
                .map((print, index, own) => (
                  <PrintRow
                    key={print.key}
                    photo={photo}
                    print={print}
                    number={index + 1}
                    showChoice={!single}
                    removable={own.length > 1}
                    editing={editing === print.key}
                    onEditing={(on) => setEditing(on ? print.key : null)}
                  />
                ))}
            </ul>
            {products && products.length > 1 && (
              <Button
                size="small"
                variant="quiet"
                className="-ml-2 w-fit"
                aria-label={`Add another size of ${photo.title}`}
                onClick={() => change(addPrint, photo.id)}
              >
                <Plus aria-hidden /> Add another size
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function PhotoTitle({ photo }: { photo: WizardPhoto }) {
  return <p className="truncate font-semibold">{photo.title}</p>
}
