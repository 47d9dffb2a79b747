// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C has that few programs use; each function can be decoded (decode_test.cpp).
#include <stdint.h>
typedef struct {float x,y;} P; typedef struct { long double a; } L;
P add(P a, P b){ P r={a.x+b.x,a.y+b.y}; return r; }
_Bool o1(int64_t a,uint64_t b,int64_t*r){ return __builtin_add_overflow(a,b,r);}
_Bool o2(__int128 a,__int128 b,__int128*r){ return __builtin_mul_overflow(a,b,r);}
_Bool o3(int64_t a,uint64_t b,int64_t*r){ return __builtin_mul_overflow(a,b,r);}
int sw(unsigned __int128 x){ switch(x){case 1: return 2; case ((unsigned __int128)5<<70): return 3; default: return 4;} }
_BitInt(65) bi(_BitInt(65) a,_BitInt(65) b){ return a/(b|1)*a-(a<b); }
_Complex double cd(_Complex double a,_Complex double b){ return a*b; }
_Complex float cf(_Complex float a,_Complex float b){ return a/b; }
_Complex long double cl(_Complex long double a,_Complex long double b){ return a*b; }
long double ld(L l,int n){ return __builtin_powil(l.a,n)+__builtin_roundl(l.a); }
unsigned __int128 rot(unsigned __int128 x,int n){ return x<<(n&127)|x>>(-n&127); }
int pc(unsigned __int128 x){ return __builtin_popcountg(x)+__builtin_clzg(x,1)+__builtin_ctzg(x,1); }
volatile __int128 vv; __int128 rv(void){ return vv; } void wv(__int128 x){ vv=x; }
_Atomic __int128 av; __int128 ra(void){ return av; } __int128 fa(__int128 x){ return av+=x; }
typedef int v4 __attribute__((vector_size(16))); v4 va(v4 a,v4 b){ return a*b+(a<b); }
typedef float v2 __attribute__((vector_size(8))); v2 vf(v2 a){ return a*a; }
long double fl(long double x,long double y){ return __builtin_floorl(x)+__builtin_fmaxl(x,y)+__builtin_fmal(x,y,x)+__builtin_fmodl(x,y); }
int cls(double d){ return __builtin_isnan(d)|__builtin_isinf_sign(d)|__builtin_isnormal(d)|__builtin_signbit(d); }
double lr(double d,long double e){ return __builtin_lrint(d)+__builtin_llround(d)+__builtin_lroundl(e)+__builtin_ldexp(d,3)+__builtin_roundeven(d)+__builtin_exp10(d); }
int vl(int n){ char a[n]; __builtin_memset(a,1,n); return a[n-1]; }
unsigned s(unsigned a){ return __builtin_bitreverse32(a)+__builtin_rotateleft32(a,5); }
int sat(int a){ return __builtin_elementwise_add_sat(a,5)+__builtin_elementwise_max(a,3)+__builtin_elementwise_abs(a); }
long lri(double d,float f,long double l){ return __builtin_lrint(d)+__builtin_lrintf(f)+__builtin_lrintl(l)+__builtin_llroundl(l); }
double fx(double d,float f,long double l,int*e){ return __builtin_frexp(d,e)+__builtin_frexpf(f,e)+__builtin_frexpl(l,e); }
double el(double d){ return __builtin_elementwise_acos(d)+__builtin_elementwise_sinh(d)+__builtin_exp10(d)+__builtin_flt_rounds(); }
void cc(char*a){ __builtin___clear_cache(a,a+8); }
typedef int e4 __attribute__((ext_vector_type(4))); typedef float g4 __attribute__((ext_vector_type(4)));
int red(e4 a,g4 b){ return __builtin_reduce_max(a)+__builtin_reduce_min(a)+(int)__builtin_reduce_max(b); }
typedef _Bool b4 __attribute__((ext_vector_type(4))); b4 gb; b4 bl(b4*p){ gb=*p; return gb; }
double strict(double a,float f,long double l,long n){
#pragma STDC FENV_ACCESS ON
  return a*f+l/a-(double)n+(int)a+(a<f)+(a==l)+__builtin_sqrt(a)+__builtin_fma(a,a,a)+__builtin_frexp(a,(int[1]){0})+(float)a+(unsigned long)a; }
int main(void) { return 0; }
