import { useMutation, useQueryClient } from '@tanstack/react-query'
import { LocateFixed } from 'lucide-react'
import { refreshPhotoPages } from '../../api/photo-lists.ts'
import { placesQuery } from '../../api/queries.ts'
import type { LocationsFixed } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { formatNumber } from '../../lib/format.ts'
import { request } from '../../lib/http.ts'

/** Geocodes the photos that have coordinates but no place. */
export function FixLocations() {
  const client = useQueryClient()
  const fix = useMutation({
    mutationFn: () => request<LocationsFixed>('/api/photos/geocode-update', { method: 'POST', body: {} }),
    onSuccess: ({ updatedCount }) => {
      refreshPhotoPages(client)
      client.invalidateQueries({ queryKey: placesQuery.queryKey })
      toast({
        title: 'Location Update Complete',
        description: `Updated ${formatNumber(updatedCount)} photos with location data`,
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
    <Button variant="quiet" busy={fix.isPending} onClick={() => fix.mutate()}>
      {!fix.isPending && <LocateFixed aria-hidden />} Fix Locations
    </Button>
  )
}
