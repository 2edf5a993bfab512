import { defineConfig } from 'vite'

export default defineConfig({
  base: './',
  // ../shared 의 파일도 이 앱의 three 를 쓴다
  resolve: { dedupe: ['three', 'limber'] },
  build: { target: 'es2022', chunkSizeWarningLimit: 1200 },
})
