import { Download } from 'lucide-react'
import type { PublicFolder, PublicPhoto } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { downloadSizes } from './link-rules.ts'

/** The downloads of one photo that the link allows. */
export function PhotoDownloads({ folder, photo }: { folder: PublicFolder; photo: PublicPhoto }) {
  const sizes = downloadSizes(folder, photo)
  return sizes.map((size) => (
    <Button key={size} asChild size="small">
      <a href={`${size === 'original' ? photo.url : photo.previewUrl}?download`} download="">
        <Download aria-hidden />
        {size === 'web' && sizes.length > 1 ? (
          <span>
            <span className="sr-only">Download </span>Web size
          </span>
        ) : (
          <span>Download</span>
        )}
      </a>
    </Button>
  ))
}
