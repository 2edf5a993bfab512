import { AnimationMixer } from 'three'
import { bake, JiggleBones, load } from 'limber-node'
import { readFileSync } from 'node:fs'
import { loadModel } from './jiggle/load-model.mjs'
const limber = await load()
const g = await loadModel('RobotExpressive.glb')
const file = new Uint8Array(readFileSync(new URL('./models/RobotExpressive.glb', import.meta.url)))
for (const name of ['Walking','Running','Dance','Idle']) {
  const clip = g.animations.find(c=>c.name===name)
  const mixer = new AnimationMixer(g.scene)
  mixer.clipAction(clip).play()
  const bone=n=>g.scene.getObjectByName(n)
  const jiggle = new JiggleBones(limber, [{ bones: bone('Head'), multiplier: 1.3 },{ bones: [bone('UpperArmL'), bone('LowerArmL')], multiplier: 1.6 },{ bones: [bone('ShoulderR'), bone('UpperArmR')] }])
  for (const loop of [false,true]) for (const fps of [30,60]) {
    const t0=performance.now()
    const rec = await bake(jiggle, { fps, duration: clip.duration, warmup: 2*clip.duration, ...(loop&&{loop}), drive: (t)=>mixer.setTime(t) })
    const t1=performance.now()
    const glb = await rec.toGLB()
    const t2=performance.now()
    const { skeletons:[s], ...r } = rec.report
    const jig = await rec.toGLB({ only: 'jiggle' }); const js = rec.report.skeletons[0]
    const on = await rec.toGLB({ onto: file }); 
    console.log(name, loop, fps, rec.frames, 'raw keys', s.tracks*rec.frames, 'raw bytes', jiggle&&rec.skeletons[0].nodes.filter(n=>n.animated).length*rec.frames*(16+12+12+12), 'keys',s.keys,'bytes',s.bytes,'file',r.bytes,'deg',(s.maxAngle*180/Math.PI).toFixed(5),(s.meanAngle*180/Math.PI).toFixed(5),s.maxDistance.toExponential(2),s.maxRatio.toExponential(2),'| only',js.tracks,js.tracks*rec.frames,js.keys,js.bytes,jig.byteLength,'| onto +',on.byteLength-file.byteLength, 'ms',(t1-t0).toFixed(0),(t2-t1).toFixed(0))
  }
  jiggle.dispose(); mixer.stopAllAction(); mixer.uncacheRoot(g.scene)
}
