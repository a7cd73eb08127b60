import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, LocateFixed } from 'lucide-react'
import { memo, type ReactNode, useId } from 'react'
import { api } from '../../api/client.ts'
import { refreshPhotoPages } from '../../api/photo-cache.ts'
import { PHOTO_PLACES } from '../../api/queries.ts'
import type { LocationsFixed } from '../../api/types.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { PhotoBrowser } from '../../photos/browser/photo-browser.tsx'

/** All photos of the user; for one without photos `firstStep`, instead of a gallery of which nothing can be searched. */
export const PhotosTab = memo(function PhotosTab({ firstStep }: { firstStep: ReactNode }) {
  return <PhotoBrowser empty={firstStep} />
})

const PURPOSE = 'Adds city and state to photos that have GPS coordinates but no place.'

/**
 * Geocodes the photos that have coordinates but no place. A tooltip explains it, and a sentence below the buttons on touch screens,
 * which have no tooltips. On phones it is in a menu, with `more` items.
 */
export function FixLocations({ more }: { more: ReactNode }) {
  const client = useQueryClient()
  const hint = useId()
  const fix = useMutation({
    mutationFn: () => api('post', '/api/photos/geocode-update', {}),
    onSuccess: (result) => {
      refreshPhotoPages(client)
      client.invalidateQueries({ queryKey: [PHOTO_PLACES] })
      toast({
        title: 'Location Update Complete',
        description: `Updated ${formatNumber(result.updatedCount)} photos with location data`,
        note: noteOf(result),
      })
    },
    onError: () =>
      toast({
        title: 'Update Failed',
        description: 'Could not update photo locations',
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => fix.mutate() },
      }),
  })
  return (
    <>
      {/* On phones there is no room for the button and its sentence above the photos. */}
      <div className="sm:hidden">
        <Menu trigger={<IconButton label="More actions" icon={<Ellipsis />} disabled={fix.isPending} />}>
          <MenuItem icon={<LocateFixed />} hint={PURPOSE} onSelect={() => fix.mutate()}>
            Fix Locations
          </MenuItem>
          {more}
        </Menu>
      </div>
      <div className="relative max-sm:hidden">
        <Button
          variant="quiet"
          busy={fix.isPending}
          aria-describedby={hint}
          onClick={() => fix.mutate()}
          className="peer"
        >
          {!fix.isPending && <LocateFixed aria-hidden />}
          <span>Fix Locations</span>
        </Button>
        <p
          id={hint}
          role="tooltip"
          className="pointer-events-none invisible absolute top-full right-0 z-20 mt-1.5 w-72 rounded-md bg-text px-3 py-2 text-sm text-pretty text-bg shadow-high peer-hover:visible peer-focus-visible:visible"
        >
          {PURPOSE}
        </p>
      </div>
      <p
        aria-hidden
        className="order-last hidden basis-full text-right text-sm text-pretty text-muted sm:pointer-coarse:block"
      >
        {`Fix Locations: ${PURPOSE}`}
      </p>
    </>
  )
}

/** Why not all photos without a place got one; undefined where they did. */
function noteOf({ checkedCount, withoutPlaceCount }: LocationsFixed): string | undefined {
  const stay = `${countOf(withoutPlaceCount, 'photo')} ${withoutPlaceCount === 1 ? 'stays' : 'stay'} without a place`
  const reasons = withoutPlaceCount > 0 && `${stay}: no GPS coordinates, no known place nearby, or cleared by you.`
  const nothing = checkedCount === 0 && 'No photo with GPS coordinates was missing a place.'
  return [nothing, reasons].filter(Boolean).join(' ') || undefined
}
