import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const page = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** 목록 화면과 모든 예제를 한 서버에서: / · /cloth/ · /jiggle-bones/ · /ragdoll/ · /boids/ · /bake/ */
export default defineConfig({
  root: page('.'),
  base: './',
  appType: 'mpa',
  resolve: { dedupe: ['three', 'limber'] },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    rollupOptions: {
      input: {
        gallery: page('index.html'),
        cloth: page('cloth/index.html'),
        'jiggle-bones': page('jiggle-bones/index.html'),
        ragdoll: page('ragdoll/index.html'),
        boids: page('boids/index.html'),
        bake: page('bake/index.html'),
      },
    },
  },
  plugins: [
    {
      // /cloth 처럼 빗금 없이 온 주소를 /cloth/ 로 보낸다
      name: 'trailing-slash',
      configureServer({ middlewares }) {
        middlewares.use((request, response, next) => {
          const [path, query] = (request.url ?? '').split('?')
          if (!/^\/[a-z-]+$/.test(path ?? '')) return next()
          response.writeHead(302, { location: `${path}/${query ? `?${query}` : ''}` }).end()
        })
      },
    },
  ],
})
