// 점마다 빛깔을 주는 함수로 PNG 를 만든다.

import * as zlib from 'node:zlib'

const crc = zlib.crc32 ?? slowCRC

/** paint(x, y) 는 [r, g, b] (0~255) 를 돌려준다. */
export function png(width, height, paint) {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0, k = 0; y < height; y++) {
    k++ // 줄마다 거르개 없음
    for (let x = 0; x < width; x++) for (const c of paint(x, y)) rows[k++] = Math.min(255, Math.max(0, Math.round(c)))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return new Uint8Array(Buffer.concat([signature, ...parts]))
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length)
  out.writeUInt32BE(data.length, 0)
  out.write(type, 4, 'latin1')
  data.copy(out, 8)
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)) >>> 0, 8 + data.length)
  return out
}

/** Node 20 의 zlib 에는 crc32 가 없을 수 있다. */
function slowCRC(bytes) {
  let c = 0xffffffff
  for (const byte of bytes) {
    c ^= byte
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  }
  return ~c
}
