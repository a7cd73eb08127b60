import { queryOptions } from '@tanstack/react-query'
import { send } from '../../lib/http.ts'

/** What programs that show a preview of a page find in it. */
export interface LinkCard {
  title: string
  description: string
  picture: { source: string; alt: string } | null
}

/** The card of the page at an address, as a stranger without cookies gets it. */
export const linkCardQuery = (address: string) =>
  queryOptions({
    queryKey: ['link-card', address],
    queryFn: async ({ signal }): Promise<LinkCard> => {
      const response = await send(new URL(address).pathname, { credentials: 'omit', signal })
      return readCard(new DOMParser().parseFromString(await response.text(), 'text/html'))
    },
    gcTime: 0,
  })

function readCard(page: Document): LinkCard {
  const tag = (name: string) => page.querySelector(`meta[property="og:${name}"]`)?.getAttribute('content') ?? ''
  const image = tag('image')
  return {
    title: tag('title') || page.title,
    description: tag('description') || page.querySelector<HTMLMetaElement>('meta[name=description]')?.content || '',
    // By its path: the page names the public host.
    picture: image ? { source: new URL(image, location.origin).pathname, alt: tag('image:alt') } : null,
  }
}
