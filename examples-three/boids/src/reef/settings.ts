/** 판에서 바꾸는 값. 바꾼 뒤에는 Reef.apply() 를 부른다. */
export const reefSettings = {
  /** 물고기 수 */
  count: 3000,
  /** 상어가 돌아다닌다 */
  shark: true,
  /** 물고기가 포인터를 피한다 */
  pointer: true,
}
