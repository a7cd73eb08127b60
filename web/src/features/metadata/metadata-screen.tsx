import { usePageTitle } from '../../lib/routing.ts'
import { AnalysisList } from './analysis-list.tsx'
import { ExtractionForm } from './extraction-form.tsx'

/** Shows the metadata of single photos, separate from the gallery. */
export default function MetadataScreen() {
  usePageTitle('Photo Metadata Viewer')
  return (
    <div className="page pt-7">
      <header className="mb-6">
        <h1 className="text-2xl font-bold sm:text-3xl">Photo Metadata Viewer</h1>
        <p className="text-pretty text-muted">
          See where and when a photo was taken and all that its camera wrote. Photos here stay private and separate from
          your gallery.
        </p>
      </header>
      <div className="grid gap-8">
        <ExtractionForm />
        <AnalysisList />
      </div>
    </div>
  )
}
