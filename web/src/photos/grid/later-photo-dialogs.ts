import { lazyComponent } from '../../components/lazy.tsx'

export const PhotoDialogs = lazyComponent(() => import('../dialogs.ts').then((code) => code.PhotoDialogs), {
  afterFirstScreen: true,
})
