import { later } from '../../components/later.tsx'

export const PhotoDialogs = later(() => import('./photo-dialogs.tsx').then((code) => code.PhotoDialogs))
