import { useParams } from 'react-router-dom'
import { SharePage } from './share-page.tsx'

/** The voting page in a frame of the owner's site: without the application's bar and menus. */
export default function EmbedPage() {
  const { shareCode = '' } = useParams()
  return (
    <div className="flex min-h-dvh flex-col [--panel-top:8px]">
      <main id="main" tabIndex={-1} className="flex-1 outline-none">
        <SharePage />
      </main>
      <footer className="mt-8 border-t border-line pb-[var(--docked,0px)] text-sm text-muted">
        <p className="page">
          <a
            href={`/share/${shareCode}`}
            target="_blank"
            rel="noopener"
            className="inline-flex min-h-11 items-center hover:text-text hover:underline"
          >
            Skyfolio · open in a new tab
          </a>
        </p>
      </footer>
    </div>
  )
}
